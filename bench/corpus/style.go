package corpus

// Style are objects in the ways that people and tools write YAML: lists indented by two spaces,
// anchors, quoted keys, long strings of every form, JSON, several documents in a file.
var Style = Kind{perFile: 4, objects: []template{
	{"apps/v1", "Deployment", "api-{i}", styleDeployment},
	{"monitoring.coreos.com/v1", "PrometheusRule", "alerts-{i}", styleRule},
	{"v1", "Service", "api-{i}", styleService},
	{"v1", "ConfigMap", "texts-{i}", styleConfigMap},
}}

const styleDeployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: "api-{i}"
  namespace: 'team-{team}'
  labels: &labels
    app: api-{i}
    "app.kubernetes.io/managed-by": Helm
  annotations:
    meta.helm.sh/release-name: api-{i}
    checksum/config: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
spec:
    replicas: 2
    selector:
        matchLabels: *labels
    template:
        metadata:
            labels: *labels
        spec:
            affinity:
                podAntiAffinity:
                    preferredDuringSchedulingIgnoredDuringExecution:
                      - weight: 100
                        podAffinityTerm:
                            topologyKey: kubernetes.io/hostname
                            labelSelector:
                                matchLabels: *labels
            containers:
              - name: api
                image: registry.example.com/shop/api@sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
                args:
                  - --shard={i}
                  - "--feature-gates=\
                    Fast=true,\
                    Careful=false"
                env:
                  - name: JAVA_OPTS
                    value: -XX:+UseContainerSupport -XX:MaxRAMPercentage=75.0
                        -Dcom.example.shard={i}
                        -Dcom.example.region=eu-west
                  - {name: "NO_PROXY", value: '.svc,.cluster.local'}
                resources: &resources
                    requests:
                        cpu: 100m
                        memory: 256Mi
                    limits: {memory: 512Mi}


              - name: linkerd-proxy
                image: registry.example.com/linkerd/proxy:2.14.10
                resources: *resources
`

const styleRule = `apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: alerts-{i}
  namespace: team-{team}
  annotations:
    meta.helm.sh/release-name: alerts-{i}
spec:
  groups:
    - name: api-{i}.rules
      interval: 30s
      rules:
        - alert: "ErrorsOfShard{i}"
          expr: |
            sum(rate(http_requests_total{job="api-{i}",code=~"5.."}[5m]))
              /
            sum(rate(http_requests_total{job="api-{i}"}[5m]))
              > 0.05
          for: 10m
          labels:
            severity: page
          annotations:
            summary: "More than 5 % of the requests to shard {i} fail: {{ $value | humanizePercentage }}"
            description: Shard {i} has answered more than five of a hundred requests with an error
              for ten minutes. Look at the dashboard of the shard first, then at the queue, and call
              team-{team} where neither shows anything.
        - alert: "SlowShard{i}"
          expr: >-
            histogram_quantile(0.99,
              sum by (le) (rate(http_request_duration_seconds_bucket{job="api-{i}"}[5m])))
            > 2
          labels: { severity: info }
        - record: shard:requests:rate5m
          expr: 'sum(rate(http_requests_total{job="api-{i}"}[5m]))'
          labels: {severity: "none"}
`

const styleService = `{
  "apiVersion": "v1",
  "kind": "Service",
  "metadata": {
    "name": "api-{i}",
    "namespace": "team-{team}",
    "labels": {"app": "api-{i}"},
    "annotations": {
      "meta.helm.sh/release-name": "api-{i}",
      "service.beta.kubernetes.io/load-balancer-source-ranges": "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16"
    }
  },
  "spec": {
    "type": "LoadBalancer",
    "clusterIP": "10.96.0.1",
    "selector": {"app": "api-{i}"},
    "ports": [
      {"name": "http", "port": 80, "targetPort": 8080, "nodePort": 30080},
      {"name": "https", "port": 443, "targetPort": "https", "nodePort": 30443},
      {"name": "metrics", "port": 9090}
    ]
  }
}
`

const styleConfigMap = `apiVersion: v1
kind: ConfigMap
metadata:
    name: texts-{i}
    namespace: team-{team}
  # Written by a release.
    annotations:
        meta.helm.sh/release-name: texts-{i}
data:
    "greeting": "Gr\u00fc\u00dfe, \"shard {i}\"\nzweite Zeile\ttab"
    path: C:\ProgramData\shop\{i}
    'quoted key': 'it''s quoted'
    token: t-{i}
    policy.json: '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["s3:GetObject","s3:PutObject","s3:ListBucket","s3:DeleteObject","s3:GetBucketLocation"],"Resource":["arn:aws:s3:::shop-{i}","arn:aws:s3:::shop-{i}/*"],"Condition":{"StringEquals":{"aws:PrincipalTag/team":"team-{team}"},"Bool":{"aws:SecureTransport":"true"}}}]}'
    terms: "Orders of this shard are kept for ninety days, then they move to the archive, where they
        stay for ten years; who wants to read them there has to ask the people of team-{team},
        who answer within a working day."
    log4j2.xml: |2
      <Configuration status="warn">
        <Appenders><Console name="out"><PatternLayout pattern="%d %p %m%n"/></Console></Appenders>
      </Configuration>

    empty: ""
    trailing: |+
        kept

`
