/** What the dashboard offers to each role: nothing that the service would refuse. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import { agreeAtOnce, type Issuer, startIssuer } from '../../plugins/access/testing/issuer.ts'
import { freePort } from '../fixtures/free-port.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startServeHere } from '../fixtures/gateways/serve-here.ts'
import { until } from '../fixtures/until.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'
import { findBarriers, settle, takePicture } from './fixtures/inspect.ts'

const stack = new AsyncDisposableStack()
let svc: Gateway
let issuer: Issuer
let owner: string

const secret = 'a client secret'
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const call = async (method: string, path: string, json?: unknown) => {
  const answer = await svc.call(method as 'POST', `/api/v1${path}`, { json })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.json
}
const bucket = '/buckets/films'
const pages = [
  '/',
  '/buckets',
  bucket,
  `${bucket}?details=1`,
  `${bucket}?object=kept`,
  `${bucket}?tab=versions&key=kept`,
  `${bucket}?tab=trash`,
  `${bucket}?tab=settings`,
  `${bucket}?tab=raise`,
  `${bucket}?tab=replacements`,
  `${bucket}?tab=packs`,
  '/below-target',
  '/storage-confirmations',
  '/replacements',
  '/providers',
  '/data-sets',
  '/tasks',
  '/costs',
  '/wallet',
  '/s3-users',
  '/settings?tab=cache',
  '/settings?tab=chain',
  '/system',
  '/doctor',
  '/sessions',
  '/audit',
] as const
/** The dialogs that an address opens. */
const dialogs = ['/buckets?create=1', '/buckets?owner=films', '/s3-users?create=1', '/wallet?do=fund'] as const

beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  issuer = stack.use(await startIssuer({ clientSecret: secret }))
  agreeAtOnce(issuer)
  const addr = `127.0.0.1:${await freePort()}`
  svc = stack.use(
    await startServeHere({
      settings: {
        'admin.addr': addr,
        's3.object_sizes': 'any',
        's3.public_access': true,
        'admin.oidc.issuer': issuer.url,
        'admin.oidc.client_id': 'svc',
        'admin.oidc.client_secret': secret,
        'admin.oidc.public_url': `http://${addr}`,
        'admin.oidc.admins': ['ops'],
        'admin.oidc.operators': ['dev'],
        'admin.oidc.readers': ['all'],
      },
    }),
  )
  owner = (await svc.createUser()).access_key
  await call('PUT', `/s3-users/${owner}/profile`, { name: 'Film archive' })
  await call('POST', '/buckets', { name: 'films', owner_access_key: owner })
  for (const [at, key] of ['kept', 'kept', 'deleted'].entries())
    await svc.call('POST', `/api/v1/buckets/films/objects/upload?key=${key}`, { body: Buffer.from(`${key} ${at}`) })
  await call('POST', '/buckets/films/bulk-actions', {
    action: 'move_to_trash',
    targets: [{ key: 'deleted' }],
    confirm: 'films',
    client_request_id: crypto.randomUUID(),
  })
  await call('PUT', '/buckets/films/s3-settings/cors', {
    rules: [{ allowed_origins: ['https://page.example'], allowed_methods: ['GET'], allowed_headers: ['*'], expose_headers: [] }],
  })
  await until('the deletion', async () => (await call('GET', '/buckets/films/objects/deleted')).objects[0])
})
afterAll(() => stack.disposeAsync())

const groups = { 'read-only': 'all', operator: 'dev' } as const
type Role = keyof typeof groups

/** Signs in at the provider. */
async function enter(page: Page, role: Role, path: string): Promise<void> {
  issuer.person = { preferred_username: `the ${role}`, groups: [groups[role]] }
  await page.goto(`${svc.adminUrl}/api/v1/auth/oidc/start?return_to=${encodeURIComponent(path)}`)
  await page.locator('#main').waitFor()
}

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(`${svc.adminUrl}${path}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  // The chain does not answer, so it takes a while.
  if (path.startsWith('/wallet'))
    await page.locator('#main [data-changes="POST /wallet/approve"], #main [data-changes="POST /wallet/fund"]').first().waitFor()
  await settle(page)
}

const refusedTo = async (page: Page): Promise<ReadonlySet<string>> => {
  const answer = await page.request.get(`${svc.adminUrl}/api/v1/auth/session`)
  return new Set(((await answer.json()) as { readonly refused: readonly string[] }).refused)
}

interface Control {
  readonly route: string
  readonly name: string
  readonly reason: string | null
}

/** The controls that name a route, and why they are locked. */
const controlsOf = (page: Page): Promise<readonly Control[]> =>
  page.evaluate(`[...document.querySelectorAll('[data-changes]')].filter((one) => one.checkVisibility()).map((one) => ({
    route: one.dataset.changes.replace(' ', ' /api/v1'),
    name: one.textContent.trim() || one.ariaLabel,
    reason: one.ariaDisabled === 'true' ? one.dataset.tooltip : null,
  }))`)

const offersOf = async (page: Page, refused: ReadonlySet<string>, role: Role) =>
  (await controlsOf(page)).filter(
    ({ route, reason }) => refused.has(route) && reason !== `Your role, ${role}, may not change this; ask an admin.`,
  )

/** Clicks the last enabled button that is not among `clicked`, and returns its name without numbers and ids: rows have the same ones. */
const clickNext = (page: Page, scope: string, clicked: ReadonlySet<string>): Promise<string | null> =>
  page.evaluate(`(() => {
    const nameOf = (one) => (one.ariaLabel || one.textContent).trim().replace(/[\\w-]{12,}|\\d+/g, '#')
    const isOffered = (one) => one.checkVisibility() && !one.disabled && one.ariaDisabled !== 'true' && !nameOf(one).startsWith('Copy')
    const clicked = ${JSON.stringify([...clicked])}
    const next = [...document.querySelectorAll('${scope} button')].findLast((one) => isOffered(one) && !clicked.includes(nameOf(one)))
    const name = next ? nameOf(next) : null
    next?.click()
    return name
  })()`)

/** Clicks all that is enabled on the page, and in the dialogs and menus that it opens. */
async function clickEverything(page: Page, path: string): Promise<readonly string[]> {
  const clicked = new Set<string>()
  await clickOpened(page)
  for (;;) {
    if (page.url() !== `${svc.adminUrl}${path}`) await visit(page, path)
    const name = await clickNext(page, '#main', clicked)
    if (name === null) return [...clicked]
    clicked.add(name)
    await settle(page)
    await clickOpened(page)
  }
}

async function clickOpened(page: Page): Promise<void> {
  const clicked = new Set<string>()
  for (;;) {
    const name = await clickNext(page, ':is(dialog:modal, [role="menu"]:popover-open)', clicked)
    if (name === null) break
    clicked.add(name)
    await settle(page)
  }
  for (let tries = 0; tries < 3 && (await page.locator('dialog:modal').count()) > 0; tries += 1) await page.keyboard.press('Escape')
}

describe.runIf(hasBrowser)('the dashboard for each role', { timeout: 600_000 }, () => {
  test.each<Role>(['read-only', 'operator'])(
    '%s: no control leads to a change that is refused, on any page, and all of them are accessible',
    async (role) => {
      // Both themes are checked, one for each role.
      await using watched = await openPage({ theme: role === 'operator' ? 'dark' : 'light' })
      const { page } = watched
      await enter(page, role, '/buckets')
      const refused = await refusedTo(page)
      const seen = new Set<string>()
      for (const path of [...pages, ...dialogs]) {
        await visit(page, path)
        for (const { route } of await controlsOf(page)) seen.add(route)
        expect([path, await offersOf(page, refused, role)]).toEqual([path, []])
        expect([path, await findBarriers(page)]).toEqual([path, []])
      }
      // The pages were drawn with their controls.
      expect([...seen].filter((route) => refused.has(route)).length).toBeGreaterThan(role === 'operator' ? 2 : 15)
    },
  )

  test('read-only: whatever is clicked, the service refuses nothing', async () => {
    await using watched = await openPage()
    const { page } = watched
    await enter(page, 'read-only', '/buckets')
    const denied: string[] = []
    page.on('response', (response) => {
      if (response.status() === 403) denied.push(`${response.request().method()} ${response.url()}`)
    })
    const clicked: string[] = []
    for (const path of pages) {
      await visit(page, path)
      clicked.push(...(await clickEverything(page, path)))
      expect([path, denied]).toEqual([path, []])
    }
    expect(clicked).toEqual(expect.arrayContaining(['Details', 'Actions for kept']))
    expect(clicked.length).toBeGreaterThan(40)
  })

  test('read-only: rows have no actions that change, bars no boxes, the palette no commands; pages of admins say so', async () => {
    await using watched = await openPage()
    const { page } = watched
    await enter(page, 'read-only', '/s3-users')
    await page.getByText('Film archive').waitFor()
    expect(await page.getByRole('button', { name: /^Actions for/ }).count()).toBe(0)
    const create = page.getByRole('button', { name: 'Create user' })
    expect([await create.getAttribute('aria-disabled'), await create.getAttribute('data-tooltip')]).toEqual([
      'true',
      'Your role, read-only, may not change this; ask an admin.',
    ])
    await page.keyboard.press('c')
    expect(await page.locator('dialog:modal').count()).toBe(0)
    await page.keyboard.press('Control+k')
    await page.locator('#palette-input').fill('create')
    await expect.poll(() => page.locator('#palette-list').innerText()).not.toContain('Create')
    await page.keyboard.press('Escape')
    await visit(page, `${bucket}?tab=trash`)
    await page.locator('[data-row="deleted"]').waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await visit(page, '/settings?tab=cache')
    await page.getByText('Your role, read-only, may not change this; ask an admin.').waitFor()
    expect(await page.locator('[data-setting] :is(input, select):enabled').count()).toBe(0)
    await takePicture(page, 'roles-settings')
    for (const [path, text] of [
      ['/sessions', 'Sessions are for admins'],
      ['/audit', 'The audit log is for admins'],
    ] as const) {
      await visit(page, path)
      await page.getByText(text).waitFor()
      await page.getByText('Your role, read-only, may not see this; ask an admin.').waitFor()
    }
  })

  test('operator: works with buckets and objects, and not with users', async () => {
    await using watched = await openPage()
    const { page } = watched
    await enter(page, 'operator', `${bucket}?tab=trash`)
    await page.locator('[data-row="deleted"]').getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Restore selected' }).waitFor()
    await visit(page, '/s3-users')
    expect(await page.getByRole('button', { name: 'Create user' }).getAttribute('aria-disabled')).toBe('true')
    await visit(page, '/buckets')
    await page.getByRole('button', { name: 'Create bucket' }).click()
    await page.getByRole('dialog', { name: 'Create a bucket' }).waitFor()
  })

  test('the admin who signs in after another role, above the page, gets its buttons without a reload', async () => {
    await using watched = await openPage()
    const { page } = watched
    await enter(page, 'read-only', '/s3-users')
    const create = page.getByRole('button', { name: 'Create user' })
    await expect.poll(() => create.getAttribute('aria-disabled')).toBe('true')
    await page.context().clearCookies()
    await page.keyboard.press('r')
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    await again.getByLabel('User name').fill(testOperator.username)
    await again.getByLabel('Password').fill(testOperator.password)
    await again.getByRole('button', { name: 'Sign in', exact: true }).click()
    await again.waitFor({ state: 'hidden' })
    await expect.poll(() => create.getAttribute('aria-disabled')).toBe(null)
    await create.click()
    await page.getByRole('dialog', { name: 'Create an S3 user' }).waitFor()
  })

  test('the owner of a bucket is shown by name, in lists, facts, settings and choices', async () => {
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, { base_url: svc.adminUrl, admin: testOperator }, '/buckets')
    await heading(page, 'Buckets').waitFor()
    const row = page.getByRole('row').filter({ hasText: 'films' })
    await row.getByText('Film archive').waitFor()
    expect(await row.getByTitle(`Access key ${owner}`).count()).toBe(1)
    await page.getByRole('searchbox').fill('film arch')
    await row.waitFor()
    await visit(page, `${bucket}?tab=settings`)
    await expect.poll(() => page.locator('#main').getByText('Film archive').count()).toBe(2)
    await page.getByRole('button', { name: 'Change owner' }).click()
    await page
      .getByRole('dialog')
      .locator(`option[value="${owner}"]`, { hasText: `Film archive, ${owner}` })
      .waitFor({ state: 'attached' })
  })
})
