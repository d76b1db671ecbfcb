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

# copy_sources FOLDER: copies the sources, without what is built or hidden, into a new folder.
copy_sources()
{
  rm -rf "$1" && mkdir -p "$1" && cd "$ROOT" && sources | xargs -0 cp --no-dereference --parents -t "$1"
}

# Prints their names, in an unpacked archive, too.
sources()
{
  local file
  if [ -e .git ]; then git ls-files -z --cached --others --exclude-standard
  else find . -name '.?*' -prune -o -name __pycache__ -prune -o '(' -type f -o -type l ')' -print0
  fi | while IFS= read -r -d '' file; do
    if [ -e "$file" ]; then printf '%s\0' "$file"; fi
  done
}

# Sphinx works on copies, so that generated pages do not get into the checkout.
copy_pages() { copy_sources "$DEV/docs_source" && cp docs/site/index.md "$DEV/docs_source/"; }

build_docs()
{
  setup_docs
  step "copying the sources" copy_pages
  cd "$DEV/docs_source/src/pqc_tunnel"
  { cat "$ROOT/docs/site/Doxyfile" && sed "s,^,INPUT += src/," cmake/public_headers.txt; } >Doxyfile
  step "reading the C++ headers" doxygen
  step "building the pages" "$DEV/docs_venv/bin/sphinx-build" --fail-on-warning --keep-going \
    --nitpicky -j auto -c "$DEV/docs_source/docs/site" -d "$DEV/docs_cache" "$DEV/docs_source" "$DEV/docs"
  say "open $DEV/docs/index.html"
}
