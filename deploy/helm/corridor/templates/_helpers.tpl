{{/* The labels that select the objects of one part. Takes a dict: root, part. */}}
{{- define "corridor.selector" -}}
app.kubernetes.io/name: corridor
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{/* The labels of an object. Takes a dict: root, part. */}}
{{- define "corridor.labels" -}}
{{ include "corridor.selector" . }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* The name of the Deployment of a release's workers. Takes a dict: root, release (empty: none). */}}
{{- define "corridor.workerName" -}}
{{ .root.Release.Name }}-worker{{ with .release }}-{{ . }}{{ end }}
{{- end }}

{{/* The settings that the Secret always holds. */}}
{{- define "corridor.requiredSecrets" -}}
DATABASE_URL DATABASE_READER_URL ADMIN_API_KEY WEBHOOK_SECRET COMMAND_SECRET
{{- end }}

{{/* The environment of every part: the same settings for all. Takes a dict: root. */}}
{{- define "corridor.env" -}}
- { name: NODE_ENV, value: production }
# Kubelet, Service and Prometheus connect to the pod's address.
- { name: HOST, value: 0.0.0.0 }
- { name: PORT, value: "8080" }
- { name: METRICS_HOST, value: 0.0.0.0 }
- { name: METRICS_PORT, value: "9464" }
- { name: DATA_DIR, value: /var/lib/corridor }
{{- range $name, $value := .root.Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- range concat (include "corridor.requiredSecrets" . | splitList " ") .root.Values.secret.settings }}
- { name: {{ . }}, valueFrom: { secretKeyRef: { name: {{ $.root.Values.secret.name | quote }}, key: {{ . }} } } }
{{- end }}
{{- end }}

{{/* What the pods of all parts share. Takes a dict: root, part. */}}
{{- define "corridor.pod" -}}
# Corridor does not use Kubernetes' API.
automountServiceAccountToken: false
# For a Service named "temporal-ui", Kubernetes would set TEMPORAL_UI_PORT, which is a setting.
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  # The user "node" of the image. Kubernetes cannot see that a name is not root.
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.pods.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.pods.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "corridor.selector" $ | nindent 8 }}
  {{- end }}
volumes:
  - name: data
    {{- if and .root.Values.receipts.existingClaim (has .part (list "api" "worker")) }}
    persistentVolumeClaim: { claimName: {{ .root.Values.receipts.existingClaim | quote }} }
    {{- else }}
    # With receipts in S3, an API pod keeps uploads in progress here, each of at most 12 MB.
    emptyDir: { sizeLimit: 1Gi }
    {{- end }}
  {{- range $place, $file := .root.Values.files }}
  - name: files-{{ $place }}
    {{- if $file.secret }}
    secret: { secretName: {{ $file.secret | quote }}, defaultMode: 0440 }
    {{- else }}
    configMap: { name: {{ $file.configMap | quote }} }
    {{- end }}
  {{- end }}
{{- end }}

{{/* What the containers of all parts share. Takes a dict: root, part, tag, resources. */}}
{{- define "corridor.container" -}}
image: {{ printf "%s:%s" .root.Values.image.repository .tag | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
command: [node, src/main.ts, {{ .part }}]
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
resources: {{- toYaml .resources | nindent 2 }}
volumeMounts:
  - { name: data, mountPath: /var/lib/corridor }
  {{- range $place, $file := .root.Values.files }}
  - { name: files-{{ $place }}, mountPath: {{ $file.path | quote }}, readOnly: true }
  {{- end }}
{{- end }}
