// Command informer prints what a shared informer of client-go is told of Pods, one JSON
// object a line, until it has had as many versions as its argument says.
package main

import (
	"encoding/json"
	"os"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

type told struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
}

func main() {
	wanted, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		panic(err)
	}
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(config), 0)
	informer := factory.Core().V1().Pods().Informer()
	var lock sync.Mutex
	count := 0
	done := make(chan struct{})
	say := func(kind string, object any) {
		if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = unknown.Obj
		}
		pod := object.(*corev1.Pod)
		lock.Lock()
		defer lock.Unlock()
		json.NewEncoder(os.Stdout).Encode(told{kind, pod.Name, pod.ResourceVersion})
		if count++; count == wanted {
			close(done)
		}
	}
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { say("ADDED", object) },
		UpdateFunc: func(_, object any) { say("MODIFIED", object) },
		DeleteFunc: func(object any) { say("DELETED", object) },
	})
	stop := make(chan struct{})
	factory.Start(stop)
	<-done
	time.Sleep(500 * time.Millisecond) // more would be too many
	close(stop)
	factory.Shutdown()
}
