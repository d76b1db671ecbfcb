# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds one HTML site of all documents and APIs with Sphinx and Doxygen, in a separate environment.

setup_docs()
{
  make_dev_folder
  setup_packages apt_python.txt apt_docs.txt
  stamped docs "$ROOT/setup/python_docs.txt" && return
  step "creating the environment of the documents" /usr/bin/python3 -m venv "$DEV/docs_venv"
  step "installing Sphinx" "$DEV/docs_venv/bin/pip" install --disable-pip-version-check \
    -r "$ROOT/setup/python_docs.txt"
  set_stamp docs "$ROOT/setup/python_docs.txt"
}

# Sphinx works on copies of the sources, so that generated pages do not get into the checkout.
copy_sources()
{
  rm -rf "$DEV/docs_source"
  mkdir "$DEV/docs_source"
  cd "$ROOT"
  git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    [ ! -f "$file" ] || printf '%s\0' "$file"
  done | xargs -0 cp --parents -t "$DEV/docs_source"
  cp docs/site/index.md "$DEV/docs_source/"
}

build_docs()
{
  setup_docs
  step "copying the sources" copy_sources
  cd "$DEV/docs_source/src/pqc_tunnel"
  step "reading the C++ headers" doxygen "$ROOT/docs/site/Doxyfile"
  step "building the pages" "$DEV/docs_venv/bin/sphinx-build" --fail-on-warning --keep-going \
    --nitpicky -j auto -c "$DEV/docs_source/docs/site" -d "$DEV/docs_cache" "$DEV/docs_source" "$DEV/docs"
  say "open $DEV/docs/index.html"
}
