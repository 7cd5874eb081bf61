/** A service that is killed and starts again on the same address, with the pages of a third-party plugin built in. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { saveConfigFile } from '#kernel/system'
import { testOperator } from '#kernel/testing'
import { freePort } from '../fixtures/free-port.ts'
import { type ServeProcess, startServe } from '../fixtures/gateways/serve-process.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { hasBrowser, openPage, signIn } from './fixtures/browser.ts'
import { findFlaws } from './fixtures/inspect.ts'
import { buildWithPlugins, type ServedBuild } from './fixtures/served-build.ts'

const legalHold = fileURLToPath(new URL('../../examples/plugin-legal-hold', import.meta.url))
const stack = new AsyncDisposableStack()
const place = { dir: '', base_url: '', admin: testOperator }
let svc: ServeProcess
let build: ServedBuild

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const menu = (page: Page) => page.getByRole('navigation', { name: 'Main' })
const dialog = (page: Page) => page.locator('dialog:modal')
const openBuild = async (options: Parameters<typeof openPage>[0] = {}) => {
  const watched = await openPage(options)
  await build.show(watched.page)
  return watched
}
const restart = async (): Promise<void> => {
  await svc.kill()
  svc = stack.use(await startServe({ dir: place.dir }))
}

beforeAll(async () => {
  if (!hasBrowser) return
  place.dir = stack.use(temporaryDirectory()).path
  const addr = `127.0.0.1:${await freePort()}`
  place.base_url = `http://${addr}`
  svc = stack.use(await startServe({ dir: place.dir, settings: { 'admin.addr': addr, 'plugins.packages': [legalHold] } }))
  build = stack.use(await buildWithPlugins(join(place.dir, 'built'), svc.configPath))
  await svc.call('POST', '/api/v1/buckets', { json: { name: 'held', owner_access_key: '__internal_root__' } })
})
afterAll(() => stack.disposeAsync())

// The tests follow each other: the last one disables the plugin.
describe.runIf(hasBrowser)('a dashboard with the pages of another plugin', { timeout: 240_000 }, () => {
  test('shows them in its menu and by their address, in both themes', async () => {
    await using watched = await openBuild()
    const { page } = watched
    await signIn(page, place)
    await menu(page).getByRole('link', { name: 'Legal holds' }).click()
    await heading(page, 'Legal holds').waitFor()
    await page.getByText('legal/').waitFor()
    expect(await findFlaws(page, 'legal-holds')).toEqual([])
    await page.getByRole('link', { name: 'Open the hold of held' }).click()
    await heading(page, 'held').waitFor()
    await page.getByText('Keys that start with').waitFor()
  })

  test('says that it is offline after a kill, and continues by itself with the form as it was left', async () => {
    await using watched = await openBuild()
    const { page } = watched
    await signIn(page, place, '/buckets?create=1')
    await page.getByText('Live', { exact: true }).waitFor()
    await dialog(page).getByLabel('Owner').selectOption('__internal_root__')
    await dialog(page).getByLabel('Name', { exact: false }).first().fill('half-filled')
    await svc.kill()
    await page.getByText('Offline', { exact: true }).waitFor()
    await page.getByText('The service does not answer').waitFor()
    await dialog(page).getByRole('button', { name: 'Create bucket' }).click()
    // Not the error of the list of owners, which is that of a field.
    await dialog(page).locator('div[role=alert]').getByText('The service cannot be reached').waitFor()
    await restart()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('The service does not answer').waitFor({ state: 'detached' })
    expect(await dialog(page).getByLabel('Name', { exact: false }).first().inputValue()).toBe('half-filled')
    await dialog(page).getByRole('button', { name: 'Create bucket' }).click()
    await heading(page, 'half-filled').waitFor()
    expect((await svc.call('GET', '/api/v1/buckets/half-filled')).status).toBe(200)
  })

  test('drops the plugin that a restart left out and asks for a reload when it was upgraded, both on the open page', async () => {
    await using watched = await openBuild()
    const { page } = watched
    await signIn(page, place)
    await menu(page).getByRole('link', { name: 'Legal holds' }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    const upgraded = page.getByText('The dashboard has a new version')
    expect(await upgraded.count()).toBe(0)
    saveConfigFile(svc.configPath, { 'plugins.disabled': ['legal-hold'] })
    build.replace()
    await restart()
    await menu(page).getByRole('link', { name: 'Legal holds' }).waitFor({ state: 'detached' })
    await upgraded.waitFor()
    await page.evaluate('history.pushState(null, "", "/legal-holds"); dispatchEvent(new PopStateEvent("popstate"))')
    await heading(page, 'Legal holds: this feature is off').waitFor()
    await page.getByText('svc plugins enable legal-hold').waitFor()
    expect(await findFlaws(page, 'legal-holds-off')).toEqual([])
  })
})
