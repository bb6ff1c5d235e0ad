@rem kubectl runs this when Tab is pressed after "kubectl spy". With krew, put it on PATH by
@rem   kubectl spy completion kubectl | Set-Content -Encoding ascii $HOME\.krew\bin\kubectl_complete-spy.cmd
@kubectl-spy __complete %*
