/** Completion scripts: the shell calls `svc complete` with the line up to the cursor and reads `word<TAB>meaning` lines. */
import type { CommandCall } from '#kernel'
import { programName } from '../program-name.ts'

// The line is one argument, because bash splits words at every colon of an address.
const bash = (svc: string) => `_svc() {
  local word
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    COMPREPLY+=("$word")
  done < <(${svc} complete "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -o default -F _svc svc
`

const zsh = (svc: string) => `_svc() {
  local -a found
  found=("\${(@f)$(${svc} complete "\${(j: :)words[1,CURRENT]}" 2>/dev/null)}")
  if [[ -z $found ]]; then
    _files
    return
  fi
  found=("\${(@)found//:/\\\\:}")
  found=("\${(@)found/$'\\t'/:}")
  _describe svc found
}
compdef _svc svc
`

const fish = (svc: string) => `complete -c svc -f -a "(${svc} complete (commandline -cp) 2>/dev/null)"
complete -c svc -s c -l config -r -F
complete -c svc -l dir -r -F
`

const printer =
  (script: (svc: string) => string) =>
  async (call: CommandCall): Promise<undefined> =>
    call.out.result(undefined, script(programName(call.env))) as undefined

export const printBash = printer(bash)
export const printZsh = printer(zsh)
export const printFish = printer(fish)
