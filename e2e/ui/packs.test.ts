/** The tab Packs of a bucket, on a devnet: its policy, what waits and is stored, compaction, and what was stored one by one. */
import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import { agreeAtOnce, type Issuer, startIssuer } from '../../plugins/access/testing/issuer.ts'
import { freePort } from '../fixtures/free-port.ts'
import { type Stage, type StoredObject, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'
import { findFlaws, settle, widths } from './fixtures/inspect.ts'

const stack = new AsyncDisposableStack()
let stage: Stage
let issuer: Issuer
const alone: StoredObject[] = []
const packed: StoredObject[] = []

const secret = 'a client secret'
const tab = `/buckets/${stageBucket}?tab=packs`
const uploads = ['upload_create', 'upload_put', 'upload_finalize', 'piece_post', 'piece_put', 'pull'] as const

beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  issuer = stack.use(await startIssuer({ clientSecret: secret }))
  agreeAtOnce(issuer)
  issuer.person = { preferred_username: 'reader', groups: ['all'] }
  const addr = `127.0.0.1:${await freePort()}`
  stage = stack.use(
    await startStage({
      ...{ providers: 2, copies: 2, blockTimeSeconds: 0.5 },
      settings: {
        'admin.addr': addr,
        'admin.oidc.issuer': issuer.url,
        'admin.oidc.client_id': 'svc',
        'admin.oidc.client_secret': secret,
        'admin.oidc.public_url': `http://${addr}`,
        'admin.oidc.readers': ['all'],
        // The tests seal.
        'packs.idle': '1h',
        'packs.wait': '2h',
      },
    }),
  )
  alone.push(...(await Promise.all([400, 500, 600].map((bytes) => stage.put(randomBytes(bytes))))))
  for (const object of alone) await stage.stored(object)
}, 240_000)
afterAll(() => stack.disposeAsync())

const open = async (page: Page) => {
  await signIn(page, { base_url: stage.gateway.adminUrl, admin: testOperator }, tab)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
}
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const shown = (page: Page, text: string | RegExp) => page.getByText(text).locator('visible=true').first()
/** The line of a fact in a card. */
const fact = async (page: Page, name: string, label: string): Promise<string> =>
  (await card(page, name).locator('dt', { hasText: label }).locator('xpath=..').innerText()).replaceAll(/\s+/g, ' ').trim()
const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text })
const packsNow = async () => (await stage.gateway.call('GET', `/api/v1/packs?bucket=${stageBucket}`)).json

// The tests follow each other.
describe.runIf(hasBrowser)('the packs of a bucket', { timeout: 300_000 }, () => {
  test('the packing is changed after a comparison; what is stored stays as it is', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page)
    await shown(page, 'No packs').waitFor()
    await expect.poll(() => fact(page, 'Filling', 'Packing of new objects')).toBe('Packing of new objects Off')
    expect(await fact(page, 'Stored one by one', 'Small objects')).toBe('Small objects 3')
    await button(page, 'Change packing').click()
    const dialog = page.getByRole('dialog', { name: `Change the packing of ${stageBucket}` })
    const save = dialog.getByRole('button', { name: 'Save packing' })
    await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true')
    await dialog.getByLabel('Small objects').check()
    await dialog.getByLabel('Days until deleted bytes are erased').fill('30')
    const comparison = dialog.getByRole('row').filter({ hasText: /Packing of new objects\s*Off\s*Small objects/ })
    await comparison.waitFor()
    await dialog
      .getByRole('row')
      .filter({ hasText: /When that pays\s*Within 30 days/ })
      .waitFor()
    await save.click()
    await dialog.waitFor({ state: 'hidden' })
    await expect.poll(() => fact(page, 'Filling', 'Packing of new objects')).toBe('Packing of new objects Small objects')
    await expect.poll(() => fact(page, 'Filling', 'Deleted bytes')).toBe('Deleted bytes are erased Within 30 days')
    expect((await packsNow()).buckets).toMatchObject([{ packing: 'small', erase_within_days: 30 }])
    expect(await fact(page, 'Stored one by one', 'Small objects')).toBe('Small objects 3')
  })

  test('objects fill a pack, are sealed on demand, and the pack is shown while it is stored and when it is', async () => {
    for (const { faults } of stage.network.devnet.providers) faults.add({ kind: 'answer', status: 503, routes: uploads })
    for (let n = 0; n < 4; n++) packed.push(await stage.put(randomBytes(5000)))
    await using watched = await openPage()
    const { page } = watched
    await open(page)
    await expect.poll(() => fact(page, 'Filling', 'Objects that wait')).toBe('Objects that wait 4')
    await card(page, 'Filling')
      .getByText(/^The next object waits for its pack, 0 of 256 MiB, at most \d+ min\.$/)
      .waitFor()
    await button(page, 'Seal now').click()
    await shown(page, 'The pack is being sealed').waitFor()
    const storing = row(page, /Waiting for its copies|Being stored, 0 of 2/)
    await storing.waitFor()
    await expect.poll(() => fact(page, 'Filling', 'Objects that wait')).toBe('Objects that wait 0')
    expect(await button(page, 'Seal now').count()).toBe(0)
    for (const { faults } of stage.network.devnet.providers) faults.clear()
    await row(page, /Stored/).waitFor({ timeout: 180_000 })
    expect((await packsNow()).packs).toMatchObject([{ state: 'stored', members: 4, dead_bytes: 0 }])
  })

  test('a pack with deleted bytes says what its compaction costs and saves, and is replaced', async () => {
    const [gone] = packed as [StoredObject]
    const purge = { json: { key: gone.key, version_id: gone.versionId } }
    expect((await stage.gateway.call('POST', `/api/v1/buckets/${stageBucket}/objects/permanent-delete`, purge)).status).toBe(200)
    const [earlier] = (await packsNow()).packs
    // The bytes that the format adds are estimated.
    expect(earlier.dead_bytes).toBeGreaterThan(4000)
    await using watched = await openPage()
    const { page } = watched
    await open(page)
    await row(page, /Stored.*does not pay yet/).waitFor()
    await button(page, `Actions for pack ${earlier.id}`).click()
    await page.getByRole('menuitem', { name: 'Compact' }).click()
    const dialog = page.getByRole('dialog', { name: `Compact pack ${earlier.id}?` })
    await dialog
      .getByRole('row')
      .filter({ hasText: /Fees at once.*USDFC/ })
      .waitFor()
    await dialog
      .getByRole('row')
      .filter({ hasText: /Saved in 12 months.*USDFC/ })
      .waitFor()
    await dialog.getByText('The fees are above what it saves.').waitFor()
    await dialog.getByRole('button', { name: 'Compact', exact: true }).click()
    await shown(page, `Pack ${earlier.id} is being compacted`).waitFor()
    const next = await until(
      'the pack without deleted bytes',
      async () => (await packsNow()).packs.find((pack: { id: number; members: number }) => pack.id > earlier.id && pack.members === 3),
      { withinMs: 180_000 },
    )
    expect(next).toMatchObject({ state: 'stored', dead_bytes: 0 })
    await row(page, `Pack ${next.id}`).waitFor()
    for (const object of packed.slice(1)) expect((await stage.get(object)).equals(object.bytes)).toBe(true)
  })

  test('a role that only reads is offered no change, and the service refuses each', async () => {
    await using watched = await openPage()
    const { page } = watched
    await page.goto(`${stage.gateway.adminUrl}/api/v1/auth/oidc/start?return_to=${encodeURIComponent(tab)}`)
    await page.locator('#main').waitFor()
    const refused = 'Your role, read-only, may not change this; ask an admin.'
    for (const name of ['Change packing', 'Pack them']) {
      const one = button(page, name)
      await one.waitFor()
      expect([name, await one.getAttribute('aria-disabled'), await one.getAttribute('data-tooltip')]).toEqual([name, 'true', refused])
      await one.click({ force: true })
    }
    expect(await page.locator('dialog:modal').count()).toBe(0)
    expect(await page.getByRole('button', { name: /^Actions for pack/ }).count()).toBe(0)
    const changes = [
      ['PUT', '/packs/policy', { bucket: stageBucket, packing: 'off' }],
      ['POST', '/packs/seal', { bucket: stageBucket }],
      ['POST', '/packs/stored', { bucket: stageBucket }],
      ['POST', `/packs/${(await packsNow()).packs[0].id}/compact`, undefined],
    ] as const
    const { csrf_token: token } = await (await page.request.get(`${stage.gateway.adminUrl}/api/v1/auth/session`)).json()
    for (const [method, path, data] of changes) {
      const answer = await page.request.fetch(`${stage.gateway.adminUrl}/api/v1${path}`, {
        method,
        headers: { 'x-svc-csrf': token, origin: stage.gateway.adminUrl },
        ...(data && { data }),
      })
      expect([path, answer.status(), (await answer.json()).code]).toEqual([path, 403, 'role_required'])
    }
    expect((await packsNow()).buckets).toMatchObject([{ packing: 'small', erase_within_days: 30 }])
  })

  test('what is stored one by one is packed after its count and fees were shown', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page)
    await button(page, 'Pack them').click()
    const dialog = page.getByRole('dialog', { name: 'Pack the stored objects?' })
    await dialog
      .getByRole('row')
      .filter({ hasText: /Objects\s*3 pieces\s*1 pack/ })
      .waitFor()
    await dialog
      .getByRole('row')
      .filter({ hasText: /Fees.*USDFC/ })
      .waitFor()
    await dialog.getByRole('button', { name: 'Pack', exact: true }).click()
    await shown(page, 'The stored objects are being packed').waitFor()
    const isPacked = async () => (await Promise.all(alone.map((object) => stage.stored(object)))).every(({ pack }) => pack !== undefined)
    await until('the stored objects in a pack', async () => (await isPacked()) || undefined, { withinMs: 180_000 })
    for (const object of alone) expect((await stage.get(object)).equals(object.bytes)).toBe(true)
    await expect.poll(() => fact(page, 'Stored one by one', 'Small objects'), { timeout: 90_000 }).toBe('Small objects 0')
  })

  test.each(widths)('the tab and its dialogs are accessible in both themes at %i px', async (width) => {
    await stage.put(randomBytes(300))
    await using watched = await openPage({ width })
    const { page } = watched
    await open(page)
    await button(page, 'Seal now').waitFor()
    await settle(page)
    expect(await findFlaws(page, 'packs')).toEqual([])
    await button(page, 'Change packing').click()
    await page.getByRole('dialog').waitFor()
    expect(await findFlaws(page, 'packs-change')).toEqual([])
  })
})
