/**
 * Pages of a plugin in the dashboard of an installed program, without the sources. Only in `npm run test:packed`, because the build takes
 * half a minute; e2e/ui/shell.test.ts shows the same pages of a clone.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import { svcHome } from '../../cli/testing/run-svc.ts'
import { isInstalledProgram } from '../../cli/testing/svc-program.ts'
import { writeConfig } from '../fixtures/gateways/gateway.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const buildMs = 300_000
const words = 'Objects under the prefix of the setting legal_hold.prefix'

/** An author has the build tools as development dependencies. */
function linkBuildTools(folder: string): void {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'ui/package.json'), 'utf8')) as { readonly dependencies: object }
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link)
  }
}

/** The disposal fails after a violation of the security policy. */
async function visit(admin: string): Promise<void> {
  // Finding the browser unpacks it.
  const { hasBrowser, openPage, signIn } = await import('../ui/fixtures/browser.ts')
  if (!hasBrowser) return
  await using opened = await openPage()
  await signIn(opened.page, { base_url: admin, admin: testOperator }, '/legal-holds')
  await opened.page.getByRole('heading', { name: 'Legal holds', level: 1 }).waitFor()
  await opened.page.getByText(words).waitFor()
}

test.runIf(isInstalledProgram)(
  'svc plugins build adds the pages of an example, and a damaged build is not served',
  {
    timeout: buildMs,
  },
  async () => {
    using home = svcHome()
    linkBuildTools(home.dir)
    cpSync(join(root, 'examples/plugin-legal-hold'), join(home.dir, 'legal-hold'), { recursive: true })
    const config = await writeConfig(home.dir, { settings: { 'plugins.packages': ['./legal-hold'] } })
    await using gateway = home.start(['serve', '--config', config])
    const { admin } = JSON.parse(await gateway.line(/ is running/)) as { readonly admin: string }
    const read = async (path: string) => (await fetch(`${admin}${path}`)).text()
    const builtIn = await read('/')
    const own = join(home.dir, 'dashboard')

    const built = await home.spawn(['plugins', 'build', '--json', '--config', config])
    expect(built, built.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(built.stdout)).toMatchObject({
      folder: own,
      plugins: ['legal-hold'],
      pages: [{ plugin: 'legal-hold', path: '/legal-holds' }, { path: '/legal-holds/:bucket' }],
      first_view: { files: expect.any(Number), bytes: expect.any(Number) },
    })
    const pages = await home.spawn(['plugins', 'pages', '--config', config])
    expect(pages).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\/legal-holds +Legal holds +legal-hold /m), stderr: '' })
    expect(await read('/')).toBe(readFileSync(join(own, 'index.html'), 'utf8'))
    expect(await read('/')).not.toBe(builtIn)
    const scripts = readdirSync(join(own, 'assets')).filter((name) => name.endsWith('.js'))
    const texts = await Promise.all(scripts.map((name) => read(`/assets/${name}`)))
    expect(texts.filter((text) => text.includes(words))).toHaveLength(1)

    await visit(admin)

    writeFileSync(join(own, 'index.html'), '<script src="/assets/other.js"></script>')
    expect(await read('/')).toBe(builtIn)
    expect(await gateway.line(/the built-in dashboard is served/)).toContain('index.html is damaged. Run `svc plugins build`')
  },
)
