# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Completion of wordline and ./scripts/wordline in bash:   source scripts/completion.bash
# In zsh, after `autoload -U +X bashcompinit && bashcompinit`, too.
#
# What there is to complete is asked of the program itself: subcommands, options and their choices of its --help, keys
# and their values of explain.

_wordline_asked() { "${COMP_WORDS[0]/#\~/$HOME}" "$@" 2>/dev/null; }

_wordline_subcommands() { _wordline_asked "$@" --help | sed -n '/^Subcommands:/,$s/^  \([a-z][a-z-]*\) .*/\1/p'; }
_wordline_options() { _wordline_asked "$@" --help | grep -oE '(^|[ ,])--?[a-zA-Z][a-zA-Z0-9-]*' | tr -d ' ,'; }
_wordline_keys() { _wordline_asked explain | sed -n 's/^\([a-z][a-z0-9_]*\.[a-z0-9_.]*\)$/\1/p'; }
_wordline_statistics() { _wordline_asked statistics | sed -n 's/^\([a-z][^ ]*\) (.*)$/\1/p'; }
# Values of a key that has a list of them.
_wordline_values() {
  _wordline_asked explain "$1" | sed -n '/^  value /,/^  default /{/^  default /d;p;}' | tr '\n' ' ' |
    sed -nE 's/^ *value +(one of: )?//; s/ or /, /; /^[a-z0-9_+.-]+(, +[a-z0-9_+.-]+)+ *$/s/,/ /gp'
}
# Choices of an option, which its help has as a|b|c or {a,b,c}; of `dilated:N` what comes before the placeholder.
_wordline_choices() {
  local option=$1
  shift
  _wordline_asked "$@" --help | sed -nE "s/^ +(-[a-zA-Z],)?$option ([A-Z]+:)?[{]?([a-z0-9_+-]+([|,][a-zA-Z0-9_:+-]+)+)[}]?( .*)?\$/\3/p" |
    tr '|,' '  ' | sed 's/:[A-Z]*/:/g'
}

# Words that may stand alone, which its help has in a line of their own as {a,b,c}.
_wordline_positional() {
  _wordline_asked "$@" --help | sed -nE 's/^ +[{]([a-z0-9_+-]+(,[a-z0-9_+-]+)+)[}]( .*)?$/\1/p' | tr ',' ' '
}

_wordline() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=() at
  for ((at = 1; at < COMP_CWORD; ++at)); do
    [[ ${COMP_WORDS[at]} == -* ]] && break
    grep -qx -- "${COMP_WORDS[at]}" <<<"$(_wordline_subcommands "${command[@]}")" || break
    command+=("${COMP_WORDS[at]}")
  done
  local names key=''
  # A shell that breaks words at "=" gives it as a word of its own.
  if [[ $word == '=' ]]; then
    key=$before before=${COMP_WORDS[COMP_CWORD - 2]} word=''
  elif [[ $before == '=' ]]; then
    key=${COMP_WORDS[COMP_CWORD - 2]} before=${COMP_WORDS[COMP_CWORD - 3]}
  elif [[ $word == *=* && $before == --@(set|grid) ]]; then
    key=${word%%=*}
  fi
  if [[ $key == --* ]]; then before=$key key=''; fi
  if [[ -n $key ]]; then
    names=$(_wordline_values "$key")
    if [[ $word == *=* ]]; then names=$(tr -s ' ' '\n' <<<"$names" | sed "/./s/^/$key=/"); fi
  elif [[ $before == --set || $before == --grid ]]; then
    names=$(_wordline_keys | sed 's/$/=/')
    compopt -o nospace 2>/dev/null
  elif [[ $word == -* ]]; then
    names=$(_wordline_options "${command[@]}")
  elif [[ $before == --* && -n $(_wordline_choices "$before" "${command[@]}") ]]; then
    names=$(_wordline_choices "$before" "${command[@]}")
  elif [[ ${command[*]} == explain ]]; then
    names=$(_wordline_keys)
  elif [[ ${command[*]} == statistics ]]; then
    names=$(_wordline_statistics)
  elif ((at == COMP_CWORD)); then
    names=$(_wordline_subcommands "${command[@]}")
    if [[ -z $names && ${#command[@]} -gt 0 ]]; then names=$(_wordline_positional "${command[@]}"); fi
  fi
  COMPREPLY=()
  # Without names, readline completes files (-o default).
  if [[ -n ${names:-} ]]; then mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word" | awk '!known[$0]++'); fi
}

complete -o default -F _wordline wordline ./scripts/wordline scripts/wordline
