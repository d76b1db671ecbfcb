# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Trains what learns, in an environment of its own. Nothing that flies, and no test, needs it.

setup_train()
{
  make_dev_folder
  setup_packages apt_python.txt
  stamped train "$ROOT/setup/python_train.txt" && return
  step "creating the environment of the training" /usr/bin/python3 -m venv "$DEV/train"
  step "installing the libraries of the training" "$DEV/train/bin/pip" install \
    --disable-pip-version-check --no-compile -r "$ROOT/setup/python_train.txt"
  set_stamp train "$ROOT/setup/python_train.txt"
}

# train ARGUMENTS: trains from the sources; no build is needed.
train()
{
  described pqc_learning.training.train_command "$@" || exit
  if wants_help "$@"; then exit; fi
  alone setup_train
  source_path
  exec env PYTHONPATH="$SOURCE_PATH" PYTHONDONTWRITEBYTECODE=1 \
    "$DEV/train/bin/python" -m pqc_learning.training.train_command --root "$ROOT" "$@"
}
