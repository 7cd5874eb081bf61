/** Reads the text of `svc --help`. */
import { svcHome } from '../../cli/testing/run-svc.ts'

interface ListedCommand {
  readonly name: string
  readonly summary: string
}

/** The commands listed under "Commands". */
export async function readCommandList(): Promise<readonly ListedCommand[]> {
  using home = svcHome()
  const { stdout } = await home.run(['--help'])
  return sectionOf(stdout, 'Commands').flatMap((line) => {
    const [, name, summary] = /^(\S+(?: \S+)*) {2,}(\S.*)$/.exec(line) ?? []
    return name === undefined || summary === undefined ? [] : [{ name, summary }]
  })
}

/** The lines of a section without their indent; empty without that section. */
export function sectionOf(help: string, title: string): readonly string[] {
  const lines = help.split('\n')
  const start = lines.indexOf(title)
  if (start === -1) return []
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => /^\S/.test(line))
  return (end === -1 ? rest : rest.slice(0, end)).map((line) => line.trim()).filter((line) => line !== '')
}
