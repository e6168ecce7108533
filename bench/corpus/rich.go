package corpus

// Rich are objects of some 1.5 KB as a platform team keeps them: comments at every level, folded
// and literal scalars, flow maps, and sidecars that a mesh and an agent put in.
var Rich = Kind{objects: []template{
	{"apps/v1", "Deployment", "checkout-{i}", richDeployment},
	{"v1", "ConfigMap", "settings-{i}", richConfigMap},
	{"batch/v1", "CronJob", "report-{i}", richCronJob},
	{"gateway.networking.k8s.io/v1", "HTTPRoute", "checkout-{i}", richRoute},
	{"apps/v1", "StatefulSet", "queue-{i}", richStatefulSet},
}}

const richDeployment = `# Runbook: https://runbooks.example.com/checkout-{i}
# Pager: team-{team}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: checkout-{i} # the service has the same name
  namespace: team-{team}
  labels: {app.kubernetes.io/name: checkout-{i}, app.kubernetes.io/part-of: shop, tier: web}
  annotations:
    description: >-
      Takes the orders of shard {i} and hands them to the queue; it must
      be rolled out before the workers.
    rollout.example.com/revision: "{i}"
spec:
  # The autoscaler owns this one.
  replicas: 3
  selector:
    matchLabels: {app.kubernetes.io/name: checkout-{i}}
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 0}}
  template:
    metadata:
      labels: {app.kubernetes.io/name: checkout-{i}, tier: web}
    spec:
      containers:
      # The application itself.
      - name: app
        image: "registry.example.com/shop/checkout:1.{i}.0"
        command: [/bin/sh, -c]
        args:
        - |
          set -eu
          exec /checkout --shard={i}
        env:
        - {name: LOG_LEVEL, value: "info"} # or debug
        - {name: TIMEOUT_MS, value: "3600000"}
        resources:
          requests: {cpu: 250m, memory: 128Mi}
          limits: {memory: 256Mi}
      # Put in by the mesh.
      - name: mesh-proxy
        image: registry.example.com/mesh/proxy:2.7.1
        ports: [{name: proxy, containerPort: 15001}]
        env:
        - {name: INJECTED_BY, value: mesh}
      # Put in by the agent for secrets.
      - name: vault-agent
        image: registry.example.com/vault/agent:1.9.3
        env:
        - {name: INJECTED_BY, value: vault}
`

const richConfigMap = `# Read at start by checkout-{i}.
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings-{i}
  namespace: team-{team}
  labels: {app.kubernetes.io/part-of: shop}
  annotations:
    description: >-
      What checkout-{i} reads at its start; a controller adds the keys
      that begin with "dynamic-".
    rollout.example.com/revision: "{i}"
data:
  mode: "0644" # octal
  dynamic-token: t-{i}
  dynamic-endpoint: https://shard-{i}.example.com:8443/v1
  app.properties: |
    # the shard's own settings
    shard={i}
    greeting=hello: "world"

    retries=3
    timeout=30s
  nginx.conf: |
    server {
      listen 8080;
      server_name checkout-{i}.example.com;
      location / {
        proxy_pass http://127.0.0.1:9090;
        proxy_set_header Host $host;
      }
      location /healthz {
        return 200 "ok";
      }
    }
  motd: >
    Welcome to shard {i}. Orders of this shard are kept for
    ninety days, then they move to the archive.

    Ask team-{team} before you change anything here.
  start.sh: |-
    #!/bin/sh
    set -eu
    for each in one two three; do
      echo "$each {i}"
    done
`

const richCronJob = `apiVersion: batch/v1
kind: CronJob
metadata:
  name: report-{i}
  namespace: team-{team}
  labels: {app.kubernetes.io/name: report-{i}, app.kubernetes.io/part-of: shop}
  annotations:
    # The next line is for the people on call.
    description: 'Writes the report of shard {i}; it''s safe to run it twice.'
    rollout.example.com/revision: "{i}"
spec:
  schedule: "*/15 * * * *"
  suspend: false # the operator on call may stop it
  concurrencyPolicy: Forbid
  successfulJobsHistoryLimit: 1
  jobTemplate:
    spec:
      backoffLimit: 2
      template:
        metadata:
          labels: {app.kubernetes.io/name: report-{i}}
        spec:
          restartPolicy: OnFailure
          containers:
          - name: report
            image: "registry.example.com/shop/report:1.{i}.0"
            command: ["/bin/sh", "-c"]
            args:
            - |
              set -eu
              /report --shard={i} --since="$(date -d yesterday +%F)" |
                gzip >/out/report.gz
            env:
            - {name: BUCKET, value: "s3://reports/{i}"}
            resources: {requests: {cpu: 50m, memory: 64Mi}, limits: {memory: 512Mi}}
            volumeMounts:
            - {name: out, mountPath: /out}
          # Put in by the mesh.
          - name: mesh-proxy
            image: registry.example.com/mesh/proxy:2.7.1
            env:
            - {name: INJECTED_BY, value: mesh}
          volumes:
          - {name: out, emptyDir: {sizeLimit: 1Gi}}
`

const richRoute = `# Weights are moved by the rollout controller.
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: checkout-{i}
  namespace: team-{team}
  labels: {app.kubernetes.io/name: checkout-{i}}
  annotations:
    description: >-
      Sends the requests of shard {i} to its services; those with
      the header go to the canary.
    rollout.example.com/revision: "{i}"
spec:
  parentRefs:
  - {group: gateway.networking.k8s.io, kind: Gateway, name: public, namespace: ingress}
  hostnames: ["checkout-{i}.example.com", "shard-{i}.example.com"]
  rules:
  # By header, for the people who try it out.
  - name: canary
    matches:
    - path: {type: PathPrefix, value: /}
      headers: [{name: x-canary, value: "true"}]
    backendRefs:
    - {name: checkout-{i}-canary, port: 8080, weight: 1}
  - name: primary
    matches:
    - path: {type: PathPrefix, value: /}
    timeouts: {request: 10s, backendRequest: 2s}
    filters:
    - type: RequestHeaderModifier
      requestHeaderModifier:
        set:
        - {name: x-shard, value: "{i}"}
        - name: x-terms
          value: >-
            orders of shard {i} are kept for ninety days,
            then they move to the archive
    backendRefs:
    - name: checkout-{i}
      port: 8080
      weight: 90 # of a hundred
    - name: checkout-{i}-canary
      port: 8080
      weight: 10
`

const richStatefulSet = `apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: queue-{i}
  namespace: team-{team}
  labels: {app.kubernetes.io/name: queue-{i}, app.kubernetes.io/part-of: shop}
  annotations:
    description: "Holds the orders of shard {i}: \"at least once\"."
    rollout.example.com/revision: "{i}"
spec:
  serviceName: queue-{i}
  replicas: 3 # an odd number, for the vote
  selector:
    matchLabels: {app.kubernetes.io/name: queue-{i}}
  template:
    metadata:
      labels: {app.kubernetes.io/name: queue-{i}}
    spec:
      terminationGracePeriodSeconds: 120
      containers:
      - name: queue
        image: "registry.example.com/shop/queue:3.{i}.1"
        ports:
        - {name: client, containerPort: 5672}
        - {name: peer, containerPort: 25672}
        env:
        - {name: SHARD, value: "{i}"}
        - name: CONFIG
          # Folded into one line.
          value: >-
            heartbeat=10
            frame_max=131072
            vm_memory_high_watermark=0.4
        resources: {requests: {cpu: 500m, memory: 1Gi}, limits: {memory: 2Gi}}
        volumeMounts:
        - {name: data, mountPath: /var/lib/queue}
      # Put in by the mesh.
      - name: mesh-proxy
        image: registry.example.com/mesh/proxy:2.7.1
        ports: [{name: proxy, containerPort: 15001}]
        env:
        - {name: INJECTED_BY, value: mesh}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec:
      accessModes: [ReadWriteOnce]
      # Enough for a week of orders.
      resources: {requests: {storage: 10Gi}}
`
