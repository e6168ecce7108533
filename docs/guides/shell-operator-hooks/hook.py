#!/usr/bin/env python3
# Doubles what it has read, so it must not write if somebody has changed the object since.
import json, os, subprocess

read = subprocess.run(["kubectl", "get", "configmap", "state", "--namespace", "hooks", "-o", "json"],
                      check=True, capture_output=True)
state = json.loads(read.stdout)
with open(os.environ["KUBERNETES_OPERATION_PATH"], "a") as operations:
    json.dump({"operationType": "MergePatch", "kind": "ConfigMap", "namespace": "hooks", "name": "state",
               "resourceVersion": state["metadata"]["resourceVersion"],
               "spec": {"data": {"size": str(2 * int(state["data"]["size"]))}}}, operations)
