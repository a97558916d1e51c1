# plugin.sh - the CUDA plugin, built as the harness runs it
#
# To be sourced by bash, after tests/packages.sh.
# shellcheck shell=bash

# build_plugin ROOT builds it, and the harness, what changed only.  Where
# TESSERA_VGPU_BUILD names a build that has it, that is taken; otherwise the
# preset vgpu is built, and the variable says where.
build_plugin() {
    local root=$1

    if [[ -z ${TESSERA_VGPU_BUILD:-} ]]; then
        build_preset "$root" vgpu
        export TESSERA_VGPU_BUILD=$root/build/vgpu
    fi
    "$root/tests/vgpu/build" "$TESSERA_VGPU_BUILD/runtime"
}
