/** A replica that moves and copies that are raised, by hand in the dashboard, on a devnet, while the bucket is read. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import { type Stage, type StoredObject, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'

const stack = new AsyncDisposableStack()
const objects: StoredObject[] = []
let stage: Stage

beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  stage = stack.use(await startStage({ providers: 4, copies: 1 }))
  for (let n = 0; n < 3; n++) objects.push(await stage.put())
  for (const object of objects) await stage.stored(object, 1)
}, 240_000)
afterAll(() => stack.disposeAsync())

const open = async (page: Page, path: string) => {
  await signIn(page, { base_url: stage.gateway.adminUrl, admin: testOperator }, path)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
}
const shown = (page: Page, text: string | RegExp) => page.getByText(text).locator('visible=true').first()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Reads all objects again and again; an error ends the test when it is disposed. */
function startReader(): AsyncDisposable & { readonly count: number } {
  const stop = new AbortController()
  const state = { count: 0 }
  const reading = (async () => {
    while (!stop.signal.aborted) {
      const object = objects[state.count++ % objects.length] as StoredObject
      expect((await stage.get(object)).equals(object.bytes), object.key).toBe(true)
    }
  })()
  // The error is thrown by the disposal.
  reading.catch(() => undefined)
  return Object.assign(state, {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await reading
    },
  })
}

// The tests follow each other: the raise comes before the move, which needs another copy as its source.
describe.runIf(hasBrowser)('a bucket that is healed in the dashboard', { timeout: 300_000 }, () => {
  test('contents of an earlier target are raised: what it adds and costs is shown first, then its progress until every copy is there', async () => {
    await stage.gateway.call('PUT', `/api/v1/buckets/${stageBucket}/copy-policy`, { json: { default_copies: 2 } })
    await using reader = startReader()
    await using watched = await openPage()
    const { page } = watched
    await open(page, `/buckets/${stageBucket}?tab=raise`)
    await shown(page, 'These contents were stored while the bucket wanted fewer copies.').waitFor()
    await shown(page, 'Price list').waitFor()
    const sent: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/copies/raise')) sent.push(request.headers()['svc-price-list'])
    })
    await button(page, 'Raise copies').click()
    const dialog = page.getByRole('dialog', { name: `Raise the copies of ${stageBucket}` })
    await dialog.getByText('3 contents').waitFor()
    await dialog.getByText('Fee, once').waitFor()
    await dialog.getByRole('button', { name: 'Raise copies' }).dblclick()
    await dialog.waitFor({ state: 'hidden' })
    expect(sent).toEqual([expect.stringMatching(/^[0-9a-f]{16,}$/)])
    await shown(page, 'Newest raise').waitFor()
    await shown(page, 'Every content has its copies.').waitFor({ timeout: 180_000 })
    await shown(page, 'Nothing to raise').waitFor()
    for (const object of objects) expect((await stage.copies(object)).filter(({ status }) => status === 'committed')).toHaveLength(2)
    expect(reader.count).toBeGreaterThan(0)
  })

  test('a replica moves after one confirmation with its price, and its page follows it to the end, while the bucket is read', async () => {
    await using reader = startReader()
    await using watched = await openPage()
    const { page } = watched
    await open(page, `/buckets/${stageBucket}?tab=replacements`)
    await page.getByRole('link', { name: 'Replace the provider of replica 1' }).click()
    await page.getByRole('link', { name: 'What if it fails?' }).click()
    await page.getByRole('heading', { name: /^If .* fails$/ }).waitFor()
    await page.getByRole('row').filter({ hasText: 'Stored there' }).getByText('3', { exact: true }).first().waitFor()
    await page.goBack()
    await button(page, 'Continue').click()
    await shown(page, 'A provider that this bucket never used').waitFor()
    await button(page, 'Continue').click()
    await shown(page, 'Old service each month').waitFor()
    await button(page, 'Replace the provider').click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText('Fee, once').waitFor()
    await dialog.getByRole('checkbox').check()
    await dialog.getByLabel(`Type ${stageBucket} to confirm`).fill(stageBucket)
    await dialog.getByRole('button', { name: 'Replace', exact: true }).click()
    await page.waitForURL('**/replacements/1')
    await shown(page, 'The replica is at the new provider, and the old service has ended.').waitFor({ timeout: 240_000 })
    await shown(page, '3 of 3 contents').waitFor()
    expect(reader.count).toBeGreaterThan(10)
    const terminations = stage.network.devnet.providers.flatMap((one) => one.transactions()).filter(({ kind }) => kind === 'terminate')
    expect(terminations.filter(({ ok }) => ok === true)).toHaveLength(1)
    const moved = await until('the copies at the new provider', async () => {
      const { json } = await stage.gateway.call('GET', '/api/v1/storage-replacements/1')
      const copies = await Promise.all(objects.map((object) => stage.copies(object)))
      return copies.every((of) => of.some(({ provider_id }) => provider_id === json.target.provider_id)) || undefined
    })
    expect(moved).toBe(true)
  })
})
