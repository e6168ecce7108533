package corpus

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-{i}
  namespace: team-{team}
  labels:
    app.kubernetes.io/name: app-{i}
    app.kubernetes.io/part-of: shop
    app.kubernetes.io/managed-by: kpt
  annotations:
    prometheus.io/scrape: "true"
    prometheus.io/port: "8080"
    description: Serves the shop's front end number {i}, behind the ingress of its region.
spec:
  replicas: 3
  revisionHistoryLimit: 5
  selector:
    matchLabels:
      app.kubernetes.io/name: app-{i}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 25%
      maxUnavailable: 0
  template:
    metadata:
      labels:
        app.kubernetes.io/name: app-{i}
        app.kubernetes.io/part-of: shop
    spec:
      serviceAccountName: app-{i}
      securityContext:
        runAsNonRoot: true
        runAsUser: 10001
      containers:
      - name: app
        image: registry.example.com/shop/app:1.{i}.0
        args:
        - --listen=:8080
        - --shard={i}
        ports:
        - name: http
          containerPort: 8080
        - name: metrics
          containerPort: 9090
        env:
        - name: LOG_LEVEL
          value: "info"
        - name: SHARD
          value: "{i}"
        - name: DATABASE_PASSWORD
          valueFrom:
            secretKeyRef:
              name: app-{i}
              key: password
        resources:
          requests:
            cpu: 250m
            memory: 128Mi
          limits:
            memory: 256Mi
        readinessProbe:
          httpGet:
            path: /ready
            port: http
          periodSeconds: 5
        volumeMounts:
        - name: config
          mountPath: /etc/app
          readOnly: true
      - name: proxy
        image: registry.example.com/mesh/proxy:2.7.1
        ports:
        - name: proxy
          containerPort: 15001
      volumes:
      - name: config
        configMap:
          name: app-{i}
`

const commentedDeployment = `# Owned by team {team}; ask before scaling by hand.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: worker-{i} # the queue has the same name
  namespace: team-{team}
  labels:
    app.kubernetes.io/name: worker-{i}
  annotations:
    prometheus.io/scrape: "true"
    note: 'it''s number {i}'
spec:
  # The autoscaler owns this one.
  replicas: 3
  selector:
    matchLabels:
      app.kubernetes.io/name: worker-{i}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: worker-{i}
    spec:
      containers:
      # The application itself.
      - name: app
        image: "registry.example.com/shop/worker:1.{i}.0"
        command: ["/bin/worker", "--queue", "q-{i}"]
        env:
        - name: MODE # batch or stream
          value: batch
        - name: TIMEOUT_MS
          value: "3600000"
        resources:
          requests: {cpu: 100m, memory: 64Mi}
      # Put in by the mesh.
      - name: proxy
        image: registry.example.com/mesh/proxy:2.7.1
        ports:
        - containerPort: 15001
`

const configMap = `apiVersion: v1
kind: ConfigMap
metadata:
  name: config-{i}
  namespace: team-{team}
  annotations:
    prometheus.io/scrape: "false"
data:
  dynamic-token: t-{i}
  mode: "0644"
  app.properties: |
    # the shard's own settings
    shard={i}
    greeting=hello: "world"

    retries=3
    timeout=30s
  nginx.conf: |
    server {
      listen 8080;
      server_name app-{i}.example.com;
      location / {
        proxy_pass http://127.0.0.1:9090;
        proxy_set_header Host $host;
      }
      location /healthz {
        return 200 "ok";
      }
    }
  summary: >-
    A text that is folded over
    several lines, number {i}.
  script.sh: |-
    #!/bin/sh
    set -eu
    for each in one two three; do
      echo "$each {i}"
    done
`

const customResource = `apiVersion: networking.istio.io/v1
kind: VirtualService
metadata:
  name: route-{i}
  namespace: team-{team}
  annotations:
    prometheus.io/scrape: "true"
spec:
  hosts:
  - route-{i}.example.com
  gateways:
  - istio-system/public
  http:
  - name: canary
    match:
    - headers:
        x-canary:
          exact: "true"
    route:
    - destination:
        host: app-{i}
        subset: canary
        port:
          number: 8080
      weight: 100
  - name: primary
    retries:
      attempts: 3
      perTryTimeout: 2s
      retryOn: gateway-error,connect-failure,refused-stream
    timeout: 10s
    route:
    - destination:
        host: app-{i}
        subset: stable
        port:
          number: 8080
      weight: 90
    - destination:
        host: app-{i}
        subset: canary
        port:
          number: 8080
      weight: 10
`

const secret = `apiVersion: v1
kind: Secret
metadata:
  name: secret-{i}
  namespace: team-{team}
  annotations:
    prometheus.io/scrape: "false"
type: Opaque
data:
  dynamic-token: dG9rZW4=
  password: cGFzc3dvcmQtb2YtYW4tZXhhbXBsZQ==
  ca.crt: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCmV4YW1wbGUKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=
stringData:
  config.yaml: |
    user: app-{i}
    roles: [reader, writer]
`
