-- Tables over recordings of kubectl spy, for DuckDB 1.5 or later: docs/sql.md.

-- The members of a line (docs/recording-format.md). Times are UTC.
CREATE OR REPLACE MACRO members(line) AS from_json(line, '{
    "seq": "BIGINT", "time": "TIMESTAMP", "type": "VARCHAR", "apiVersion": "VARCHAR",
    "kind": "VARCHAR", "namespace": "VARCHAR", "name": "VARCHAR", "uid": "VARCHAR",
    "resourceVersion": "VARCHAR", "initial": "BOOLEAN", "listed": "BOOLEAN",
    "inferred": "BOOLEAN", "managers": ["VARCHAR"], "since": "TIMESTAMP",
    "until": "TIMESTAMP", "object": "JSON", "patch": ["JSON"]}');

-- The lines of recording files. Lines that are no JSON are left out.
CREATE OR REPLACE MACRO recording(files) AS TABLE
WITH lines AS (
    FROM read_json_objects(files, format = 'newline_delimited', filename = true,
        ignore_errors = true, maximum_object_size = 67108864)
    WHERE json IS NOT NULL),
headers AS (
    SELECT filename, any_value(json->>'recording') AS id
    FROM lines WHERE (json->>'type') = 'HEADER' GROUP BY filename)
SELECT coalesce(id, filename) AS recording, strlen(json) + 1 AS bytes,
    unnest(members(json))
FROM lines LEFT JOIN headers USING (filename);

-- The same of the files of an OpenTelemetry collector. A line that was cut needs all
-- of its parts. Other log records are left out.
CREATE OR REPLACE MACRO attribute(log, key) AS
    list_filter(json_extract(log, '$.attributes[*]'),
        lambda each: json_extract_string(each, 'key') = key)[1]->'value';

CREATE OR REPLACE MACRO collector(files) AS TABLE
WITH logs AS (
    SELECT unnest(json->'$.resourceLogs[*].scopeLogs[*].logRecords[*]') AS log
    FROM read_json_objects(files, format = 'newline_delimited',
        ignore_errors = true, maximum_object_size = 67108864)),
parts AS (
    SELECT DISTINCT ON (recording, seq, part)
        attribute(log, 'kubectl_spy.recording')->>'stringValue' AS recording,
        (attribute(log, 'kubectl_spy.seq')->>'intValue')::BIGINT AS seq,
        coalesce((attribute(log, 'kubectl_spy.part')->>'intValue')::INT, 1) AS part,
        coalesce((attribute(log, 'kubectl_spy.parts')->>'intValue')::INT, 1) AS parts,
        log->>'$.body.stringValue' AS body
    FROM logs WHERE recording IS NOT NULL),
lines AS (
    SELECT recording, string_agg(body, '' ORDER BY part)::JSON AS json
    FROM parts GROUP BY recording, seq HAVING count(*) = any_value(parts))
SELECT recording, strlen(json) + 1 AS bytes, unnest(members(json)) FROM lines;

-- All lines, once each: INSERT OR IGNORE INTO lines BY NAME FROM recording('night.spy*')
CREATE TABLE IF NOT EXISTS lines AS
    SELECT '' AS recording, 0::BIGINT AS bytes, unnest(members('{}'::JSON)) LIMIT 0;
CREATE UNIQUE INDEX IF NOT EXISTS once ON lines (recording, seq);

-- The change records (docs/change-record.md). What a recorder that was killed wrote again
-- is left out.
CREATE OR REPLACE VIEW changes AS
    FROM lines WHERE type IN ('ADDED', 'MODIFIED', 'DELETED', 'LEFT', 'GAP')
    QUALIFY type = 'GAP' OR listed IS NOT TRUE OR row_number() OVER (
        PARTITION BY recording, uid, resourceVersion, type ORDER BY seq) = 1;

-- The operations of their patches, each with its place in the patch. A field is the path
-- with * for the place in a list, if the label names the element:
-- /status/conditions/*/status of type=Ready.
CREATE OR REPLACE VIEW operations AS
    SELECT * EXCLUDE (object, patch, operation),
        operation->>'op' AS op, operation->>'path' AS path, operation->>'label' AS label,
        operation->'value' AS value,
        CASE WHEN label IS NULL THEN path
            ELSE regexp_replace(path, '/[0-9]+(/|$)', '/*\1') END AS field
    FROM (
        SELECT *, unnest(patch) AS operation, generate_subscripts(patch, 1) AS place
        FROM changes);
