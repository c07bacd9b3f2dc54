#!/bin/sh
# Says in a sentence why nothing can be installed to a path, and ends with 2 then.
#
#   scripts/check_install_path.sh INSTALL_PATH      DESTDIR counts
path=$1

refuse() {
    echo "INSTALL_PATH=\"$path\": $1" >&2
    exit 2
}

case $path in
    "") refuse "say where to install, for example make install INSTALL_PATH=$HOME/xsched" ;;
    "~"*) refuse "the shell has not replaced the ~: write INSTALL_PATH=\$HOME/..." ;;
    /) refuse "the root folder is no place to install to; /usr/local is the usual one" ;;
    /*) ;;
    *) refuse "it is no absolute path; write INSTALL_PATH=$PWD/$path if that is meant" ;;
esac
# The dynamic linker splits LD_PRELOAD at these.
case $path in *[[:space:]:]*) refuse "it has a space or colon in it, and no library can be preloaded from there" ;; esac

# The nearest folder that there is: it is installed into, or gets a new one.
folder=$DESTDIR$path
while [ ! -e "$folder" ] && [ "$folder" != / ] && [ "$folder" != . ]; do folder=$(dirname "$folder"); done
[ -d "$folder" ] || refuse "$folder is a file"
[ -w "$folder" ] || refuse "$folder may not be written: install as root (sudo make install), or to a folder of your \
own (INSTALL_PATH=\$HOME/xsched)"
