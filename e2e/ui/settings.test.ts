/** Settings, setup mode, plugins and S3 users in a real browser; no chain is needed. The tests of one service build on each other. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import { freePort } from '../fixtures/free-port.ts'
import { emptyWalletKey, type Gateway } from '../fixtures/gateways/gateway.ts'
import { startServeHere } from '../fixtures/gateways/serve-here.ts'
import { startServe } from '../fixtures/gateways/serve-process.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'
import { findBarriers, findOverflow, takePicture } from './fixtures/inspect.ts'

/** A service that starts again on the same address. */
class Restartable {
  readonly #dir: string
  readonly #env: Readonly<Record<string, string>>
  readonly url: string
  gateway: Gateway

  constructor(dir: string, port: number, gateway: Gateway, env: Readonly<Record<string, string>>) {
    this.#dir = dir
    this.#env = env
    this.url = `http://127.0.0.1:${port}`
    this.gateway = gateway
  }

  static async start(dir: string, settings: Readonly<Record<string, string | number>>, env: Readonly<Record<string, string>> = {}) {
    const port = await freePort()
    const gateway = await startServeHere({ dir, settings: { 'admin.addr': `127.0.0.1:${port}`, ...settings }, env })
    return new Restartable(dir, port, gateway, env)
  }

  async restart(): Promise<void> {
    await this.gateway.stop()
    this.gateway = await startServeHere({ dir: this.#dir, env: this.#env })
  }

  get ready() {
    return { base_url: this.url, admin: testOperator }
  }
}

const stack = new AsyncDisposableStack()
const makeDir = (): string => stack.use(temporaryDirectory()).path
const menu = (page: Page) => page.getByRole('navigation', { name: 'Main' })
const dialog = (page: Page) => page.locator('dialog[open]').last()
const inDialog = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true })
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 })

let svc: Restartable
beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  svc = await Restartable.start(makeDir(), {}, { SVC_LOGGING_LEVEL: 'warn' })
  stack.defer(() => svc.gateway.stop())
})
afterAll(() => stack.disposeAsync())

describe.runIf(hasBrowser)('settings of the dashboard', () => {
  test('in setup mode only the settings are offered; they are checked, saved, and after a restart the rest appears by itself', async () => {
    const setup = await Restartable.start(makeDir(), { 'chain.private_key': '' })
    stack.defer(() => setup.gateway.stop())
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, setup.ready)
    await heading(page, 'Setup required').waitFor()
    expect(await menu(page).getByRole('link').allInnerTexts()).toEqual(['Settings'])
    await page.getByRole('link', { name: 'Open the settings' }).click()
    await page.getByText('Setup mode: the service lacks settings').waitFor()
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('tab', { name: /Chain/ }).click()
    await page.getByLabel('Copies', { exact: true }).fill('9')
    await page.locator('[data-setting="chain.default_copies"]').getByRole('alert').waitFor()
    expect(await page.getByRole('tab', { name: /Chain/ }).innerText()).toContain('need')
    expect(await page.getByRole('button', { name: 'Review and save' }).getAttribute('aria-disabled')).toBe('true')
    await page.getByLabel('Copies', { exact: true }).fill('2')
    await page.locator('[data-setting="chain.default_copies"]').getByRole('alert').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText('The wallet key is missing or malformed.').waitFor()
    await takePicture(page, 'setup-preflight')
    const steps = page.getByRole('list', { name: 'Steps of the setup' })
    const key = steps.getByLabel('Private key')
    await key.fill('not a key')
    await steps.getByRole('button', { name: 'Store the key' }).click()
    await steps.getByText('This is no private key').waitFor()
    expect(await key.inputValue()).toBe('')
    await key.fill(emptyWalletKey)
    await steps.getByRole('button', { name: 'Store the key' }).click()
    await steps.getByText('Set. The service never shows it.').waitFor()
    await steps.getByTitle(/^0x[0-9a-fA-F]{40}$/).waitFor()
    expect(await findBarriers(page)).toEqual([])
    await takePicture(page, 'setup-steps')
    expect(await page.content()).not.toContain(emptyWalletKey.replace(/^0x/, ''))
    expect(setup.gateway.log()).not.toContain(emptyWalletKey.replace(/^0x/, ''))
    await page.getByRole('button', { name: 'Review and save' }).click()
    expect(await dialog(page).innerText()).toMatch(/Copies\s+3\s+2/)
    await inDialog(page, 'Save').click()
    // The settings were complete with the key: only the closed dialog says that they are saved.
    await dialog(page).waitFor({ state: 'hidden' })
    await page.getByText('The settings are complete: restart the service').waitFor()
    // The poll of the settings may see the full mode before the page asks for the mode.
    let hasSeenFull = false
    await page.route('**/healthz', (route) => (hasSeenFull ? route.continue() : route.abort()))
    const seenFull = page.waitForResponse(
      async (answer) =>
        new URL(answer.url()).pathname === '/api/v1/settings' && answer.ok() && (await answer.json()).runtime_available === true,
      { timeout: 120_000 },
    )
    await setup.restart()
    await seenFull
    hasSeenFull = true
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    await menu(page).getByRole('link', { name: 'S3 users' }).waitFor()
    expect((await setup.gateway.call('GET', '/api/v1/settings')).json).toMatchObject({ runtime_chain_default_copies: 2 })
  })

  test('what the environment sets is locked; watermarks are inactive under other policies', async () => {
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, svc.ready, '/settings?tab=logging')
    const level = page.locator('[data-setting="logging.level"]')
    expect(await level.locator('select').isDisabled()).toBe(true)
    expect(await level.innerText()).toContain('Set by SVC_LOGGING_LEVEL')
    await page.getByRole('tab', { name: 'Cache' }).click()
    const watermark = page.locator('[data-setting="cache.lru_high_watermark_percent"]')
    expect(await watermark.locator('input').isEnabled()).toBe(true)
    await page.getByLabel('Eviction policy').selectOption('after_upload')
    await watermark.getByText('Inactive').waitFor()
    expect(await watermark.locator('input').inputValue()).toBe('90')
    expect(await watermark.locator('input').isDisabled()).toBe(true)
  })

  test('a supervised service is restarted from the notice, and the page comes back with what was saved', { timeout: 240_000 }, async () => {
    const dir = makeDir()
    const addr = `127.0.0.1:${await freePort()}`
    const first = stack.use(await startServe({ dir, settings: { 'admin.addr': addr, 'admin.supervised': true } }))
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, { base_url: `http://${addr}`, admin: testOperator }, '/system')
    expect((await first.call('PUT', '/api/v1/settings', { json: { chain: { default_copies: 2 } } })).status).toBe(200)
    await page.reload()
    const notice = page.getByRole('region', { name: 'Saved: restart the service to use the new settings' })
    await notice.getByRole('button', { name: 'Restart now' }).click()
    expect(await dialog(page).innerText()).toContain('have 10 seconds to finish')
    await page.evaluate('window.isOld = true')
    await inDialog(page, 'Restart now').click()
    expect([await first.ended, first.exitCode()]).toEqual([null, 75])
    await dialog(page)
      .getByRole('button', { name: /Waiting for the service/ })
      .waitFor()
    const second = stack.use(await startServe({ dir }))
    await expect.poll(() => page.evaluate('window.isOld ?? false').catch(() => true), { timeout: 60_000 }).toBe(false)
    await heading(page, 'System').waitFor()
    expect(await notice.count()).toBe(0)
    expect((await second.call('GET', '/api/v1/settings')).json).toMatchObject({
      restart_required: false,
      runtime_chain_default_copies: 2,
    })
  })

  test('leaving with unsaved changes asks; staying keeps them', async () => {
    await using watched = await openPage()
    const { page } = watched
    const asks = page.getByRole('heading', { name: 'Leave without saving?' })
    const stay = async () => {
      await inDialog(page, 'Cancel').click()
      // The button's code loads at its first use: a second question before that would get the same answer.
      await asks.waitFor({ state: 'hidden' })
    }
    await signIn(page, svc.ready, '/system')
    await menu(page).getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('tab', { name: 'Cache' }).click()
    await page.getByText('Reserved for writes').waitFor()
    await page.getByLabel('Capacity', { exact: true }).fill('7')
    await menu(page).getByRole('link', { name: 'System' }).click()
    await asks.waitFor()
    await stay()
    expect([await page.getByLabel('Capacity', { exact: true }).inputValue(), new URL(page.url()).pathname]).toEqual(['7', '/settings'])
    await page.goBack()
    await asks.waitFor()
    await stay()
    await menu(page).getByRole('link', { name: 'System' }).click()
    await inDialog(page, 'Discard and leave').click()
    await heading(page, 'System').waitFor()
  })

  test('another network is saved only after the typed word; the page tells saved from running copies', async () => {
    await using watched = await openPage({ width: 390 })
    const { page } = watched
    await signIn(page, svc.ready, '/settings?tab=chain')
    await page.getByLabel('Network', { exact: true }).selectOption('mainnet')
    await page.getByLabel('Copies', { exact: true }).fill('2')
    await page.getByRole('button', { name: 'Review and save' }).click()
    const text = await dialog(page).innerText()
    expect(text).toMatch(/Network\s+calibration\s+mainnet/)
    expect(text).toContain('Another network has other contracts')
    await dialog(page).getByLabel('Type SAVE to confirm').fill('save')
    expect(await inDialog(page, 'Save').isDisabled()).toBe(true)
    expect(await findBarriers(page)).toEqual([])
    expect(await findOverflow(page)).toBe(0)
    await takePicture(page, 'settings-review-390')
    await inDialog(page, 'Cancel').click()
    await page.getByLabel('Network', { exact: true }).selectOption('calibration')
    await page.getByRole('button', { name: 'Review and save' }).click()
    await inDialog(page, 'Save').click()
    await page.getByText('Saved: restart the service').waitFor()
    await page.getByText('Running with 3').waitFor()
    expect((await svc.gateway.call('GET', '/api/v1/settings')).json).toMatchObject({
      config: { chain: { network: 'calibration', default_copies: 2 } },
      runtime_chain_default_copies: 3,
    })
  })

  test('a plugin that is disabled loses its menu entry and its page after the restart, and gets them back', async () => {
    await using watched = await openPage()
    const { page } = watched
    const choose = async (action: string) => {
      await page.getByRole('button', { name: 'Actions for s3' }).click()
      await page.getByRole('menuitem', { name: action }).click()
    }
    await signIn(page, svc.ready, '/system')
    await page.getByRole('button', { name: 'Actions for admin' }).click()
    const locked = page.getByRole('menuitem', { name: /Disable/ })
    expect([await locked.getAttribute('aria-disabled'), await locked.innerText()]).toEqual([
      'true',
      expect.stringContaining('serves this dashboard'),
    ])
    await page.keyboard.press('Escape')
    await choose('Disable')
    await dialog(page).getByLabel('Type SAVE to confirm').fill('SAVE')
    await inDialog(page, 'Disable').click()
    // The lifecycle rules, which need S3, go with it.
    await expect.poll(() => page.getByText('Off after restart').count()).toBe(2)
    await svc.restart()
    await page.goto(`${svc.url}/s3-users`)
    await heading(page, 'S3 users: this feature is off').waitFor()
    expect(await menu(page).getByRole('link', { name: 'S3 users' }).count()).toBe(0)
    await menu(page).getByRole('link', { name: 'System' }).click()
    await choose('Enable')
    await inDialog(page, 'Enable').click()
    await expect.poll(() => page.getByText('On after restart').count()).toBe(2)
    await svc.restart()
    await page.goto(`${svc.url}/s3-users`)
    await heading(page, 'S3 users').waitFor()
  })

  test('S3 users: an admin is reviewed, a secret key is shown once, an owner is not deleted', async () => {
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, svc.ready, '/s3-users')
    await page.getByText('No S3 user yet').waitFor()
    await page.getByRole('button', { name: 'Create user' }).first().click()
    await dialog(page)
      .getByRole('radio', { name: /^admin/ })
      .check()
    await inDialog(page, 'Review').click()
    await page.getByText('Create a user with full access?').waitFor()
    expect((await svc.gateway.call('GET', '/api/v1/s3-users')).json).toEqual([])
    await inDialog(page, 'Create admin').click()
    await page.getByText('Keep the secret key').waitFor()
    const [{ access_key: key }] = (await svc.gateway.call('GET', '/api/v1/s3-users')).json
    const secretOf = async () => /AWS_SECRET_ACCESS_KEY=(\S{43})/.exec(await dialog(page).innerText())?.[1] ?? ''
    await dialog(page).getByText('AWS_ENDPOINT_URL').waitFor()
    const first = await secretOf()
    expect(first).toHaveLength(43)
    expect(await dialog(page).innerText()).toContain(svc.gateway.s3Url.replace(/:\d+$/, ''))
    expect(await findBarriers(page)).toEqual([])
    await inDialog(page, 'I have stored it').click()
    await page.getByRole('cell', { name: key }).first().waitFor()
    await expect.poll(() => page.content()).not.toContain(first)
    const act = async (action: RegExp) => {
      await page.getByRole('button', { name: `Actions for ${key}` }).click()
      await page.getByRole('menuitem', { name: action }).click()
    }
    await act(/Rotate/)
    await inDialog(page, 'Rotate secret key').click()
    await dialog(page).getByText('AWS_ENDPOINT_URL').waitFor()
    const second = await secretOf()
    expect([second.length, second === first]).toEqual([43, false])
    const question = page.getByRole('alertdialog', { name: 'Is the secret key stored?' })
    const closeButton = page.getByRole('dialog', { name: 'Keep the secret key' }).getByRole('button', { name: 'Close', exact: true })
    // The keyboard alone, also twice; the button; and the backdrop, where nothing happens.
    for (const ask of [() => page.keyboard.press('Escape'), () => closeButton.click()]) {
      await page.mouse.click(5, 5)
      await ask()
      await question.waitFor()
      expect(await findBarriers(page)).toEqual([])
      await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Back to the keys')
      // Esc answers the question with no.
      await page.keyboard.press('Escape')
      await question.waitFor({ state: 'hidden' })
      expect(await secretOf()).toBe(second)
    }
    await page.keyboard.press('Escape')
    await inDialog(page, 'It is stored, close').click()
    await expect.poll(() => page.content()).not.toContain(second)
    await act(/Change role/)
    await dialog(page)
      .getByRole('radio', { name: /^userplus/ })
      .check()
    await inDialog(page, 'Review').click()
    await inDialog(page, 'Change role').click()
    await page.getByRole('cell', { name: 'userplus' }).waitFor()
    expect((await svc.gateway.call('POST', '/api/v1/buckets', { json: { name: 'owned-bucket', owner_access_key: key } })).status).toBe(201)
    await page.reload()
    await page.getByRole('button', { name: `Actions for ${key}` }).click()
    const locked = page.getByRole('menuitem', { name: /Delete/ })
    expect([await locked.getAttribute('aria-disabled'), await locked.innerText()]).toEqual([
      'true',
      expect.stringContaining('Owns 1 bucket'),
    ])
    await page.keyboard.press('Escape')
    await svc.gateway.call('PUT', '/api/v1/buckets/owned-bucket/owner', { json: { owner_access_key: '__internal_root__' } })
    await page.reload()
    await act(/Delete/)
    await inDialog(page, 'Delete user').click()
    await page.getByText('No S3 user yet').waitFor()
  })
})
