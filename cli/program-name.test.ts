import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { programName } from './program-name.ts'
import { svcHome } from './testing/run-svc.ts'

const program = fileURLToPath(new URL('./svc.js', import.meta.url))

test('the program is called svc where the PATH leads to it, and by its path elsewhere', () => {
  using home = svcHome()
  const [linked, other] = ['linked', 'other'].map((name) => join(home.dir, name)) as [string, string]
  for (const dir of [linked, other]) mkdirSync(dir)
  symlinkSync(program, join(linked, 'svc'))
  writeFileSync(join(other, 'svc'), '', { mode: 0o755 })
  expect(programName({ PATH: `/nowhere:${linked}` })).toBe('svc')
  expect(programName({ PATH: `${linked}:${other}` })).toBe('svc')
  expect(programName({ PATH: `${other}:${linked}` })).toBe(program)
  expect(programName({})).toBe(program)
})

test('the next steps of svc init and the completion scripts start the program as the PATH has it', async () => {
  using home = svcHome()
  symlinkSync(program, join(home.dir, 'svc'))
  const linked = { PATH: home.dir }
  expect((await home.run(['init', '--dir', 'one'], linked)).stdout).toContain('\nNext: svc serve --config ')
  expect((await home.run(['init', '--dir', 'two'], { PATH: '' })).stdout).toContain(`\nNext: ${program} serve --config `)
  for (const shell of ['bash', 'zsh', 'fish']) {
    expect((await home.run(['completions', shell], linked)).stdout).toMatch(/\bsvc complete /)
    expect((await home.run(['completions', shell], { PATH: '' })).stdout).toContain(`${program} complete `)
  }
})
