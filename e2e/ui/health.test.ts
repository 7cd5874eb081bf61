import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import { moveProvider } from '../../devnet/chain/move-provider.ts'
import type { SimulatedProvider } from '../../devnet/provider/provider.ts'
import { type Stage, type StoredObject, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'
import { findFlaws, takePicture, widths } from './fixtures/inspect.ts'

let stage: Stage
let object: StoredObject
/** Providers of the two replica slots. */
let providers: readonly SimulatedProvider[]

const api = '/api/v1/observability'
const settings = { 'chain.observability.interval': '2s', 'chain.observability.timeout': '1s' }

beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  stage = await startStage({ providers: 3, copies: 2, settings })
  object = await stage.put(Buffer.alloc(300_000, 'life'))
  await stage.stored(object)
  providers = await stage.providers()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const open = async (page: Page, path: string) => {
  await signIn(page, { base_url: stage.gateway.adminUrl, admin: testOperator }, path)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
}
const first = (): SimulatedProvider => providers[0] as SimulatedProvider
const second = (): SimulatedProvider => providers[1] as SimulatedProvider
const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text })
const rowOf = (page: Page, { providerId }: SimulatedProvider) => row(page, new RegExp(`#${providerId}(?!\\d)`))
const setOf = async ({ providerId }: SimulatedProvider): Promise<number> =>
  (await stage.gateway.call('GET', `${api}/data-sets?provider_id=${providerId}`)).json.items[0].facts.local_data_set_id
const lifePath = () => `/buckets/${stageBucket}/life?${new URLSearchParams({ key: object.key, version: object.versionId })}`
const becomes = ({ providerId }: SimulatedProvider, status: string) =>
  until(`provider ${providerId} is ${status}`, async () => {
    const { json } = await stage.gateway.call('GET', `${api}/providers?provider_id=${providerId}`)
    return json.items[0]?.signal.status === status ? true : undefined
  })

describe.runIf(hasBrowser)('pages of health', { timeout: 240_000 }, () => {
  test('the life of an object leads from its upload to its copies, and its proof can be downloaded', async () => {
    await using watched = await openPage()
    const { page } = watched
    expect((await stage.gateway.call('POST', '/api/v1/cost/refresh')).json.freshness).toBe('fresh')
    await open(page, `/buckets/${stageBucket}/life?key=${object.key}`)
    const way = page.getByRole('list', { name: 'Way of the bytes' })
    await way.getByText('2 of 2 stored').waitFor()
    await way.getByText('The bytes are in the cache').waitFor()
    for (const [index, { providerId }] of providers.entries()) {
      const card = page.getByRole('region', { name: `Replica ${index + 1}` })
      await card.getByText('Stored').waitFor()
      expect(await card.getByRole('link', { name: /devnet-provider/ }).getAttribute('href')).toBe(`/providers/${providerId}`)
      await card.getByRole('link', { name: /^Data set \d+$/ }).waitFor()
    }
    const link = page.getByRole('link', { name: 'Download the proof' })
    expect(await link.getAttribute('download')).toBe(`proof-${stageBucket}-${object.versionId}.json`)
    const { json: proof } = await stage.gateway.call('GET', (await link.getAttribute('href')) ?? '')
    expect(proof).toMatchObject({
      key: object.key,
      version_id: object.versionId,
      copies: [{ status: 'committed' }, { status: 'committed' }],
    })
    const cost = page.getByRole('region', { name: 'Cost so far' })
    await cost
      .getByText(/^[\d.]+ USDFC, [\d.]+ USDFC a month$/)
      .first()
      .waitFor()
    const verify = page.getByRole('region', { name: 'Verify without this service' })
    await verify.getByText('Replica 1', { exact: false }).first().click()
    const [call] = proof.copies[0].verify
    await verify.getByText(`cast call ${call.contract} '${call.function}'`, { exact: false }).first().waitFor()
    await page.goto(`${stage.gateway.adminUrl}/buckets/${stageBucket}?object=${object.key}`)
    await page.getByRole('link', { name: 'Life and proofs' }).click()
    await way.getByText('2 of 2 stored').waitFor()
    expect(new URL(page.url()).search).toBe(lifePath().slice(lifePath().indexOf('?')))
  })

  test('a provider that stops is unavailable with its reason, and comes back; the list is searched by name and use', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/providers?used=true')
    await rowOf(page, first()).getByText('Available').waitFor()
    expect(await page.getByRole('row').count()).toBe(3)
    const fault = first().faults.add({ kind: 'dark' })
    await becomes(first(), 'unavailable')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await rowOf(page, first()).getByText('it does not answer').waitFor()
    await rowOf(page, first()).getByText('Unavailable').waitFor()
    await page.getByText('1 unavailable').waitFor()
    await rowOf(page, first()).getByRole('link').click()
    await page.getByText('Last error: the ping failed', { exact: false }).waitFor()
    expect(await page.getByRole('button', { name: 'Test upload speed' }).getAttribute('aria-disabled')).toBe('true')
    first().faults.clear(fault)
    await becomes(first(), 'available')
    await page.goto(`${stage.gateway.adminUrl}/providers`)
    await page.getByRole('searchbox', { name: 'Name, id, place or URL' }).fill(`PROVIDER-${first().providerId}`)
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await rowOf(page, first()).getByText('Available').waitFor()
    expect(new URL(page.url()).searchParams.get('search')).toBe(`PROVIDER-${first().providerId}`)
  })

  test('a speed test says what it does, refuses a second one, shows its result, and is out of date at another URL', async () => {
    await becomes(first(), 'available')
    await becomes(second(), 'available')
    first().faults.add({ kind: 'delay', delayMs: 6000, routes: ['upload_put'] })
    await using watched = await openPage()
    const { page } = watched
    const card = page.getByRole('region', { name: 'Upload speed test' })
    await open(page, `/providers/${first().providerId}`)
    await page.getByRole('button', { name: 'Test upload speed' }).click()
    const dialog = page.locator('dialog:modal')
    await dialog.getByText('32.0 MiB of random bytes', { exact: false }).waitFor()
    await dialog.getByText('The bytes get no name', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Start the test' }).click()
    await page.getByText('The speed test runs').waitFor()
    await card.getByText('Running').waitFor()
    await card.getByRole('link', { name: /^Task \d+$/ }).waitFor()
    await page.goto(`${stage.gateway.adminUrl}/providers/${second().providerId}`)
    await page.getByRole('button', { name: 'Test upload speed' }).click()
    await dialog.getByRole('button', { name: 'Start the test' }).click()
    await dialog.getByText('An upload speed test runs already', { exact: false }).waitFor()
    await page.goto(`${stage.gateway.adminUrl}/providers/${first().providerId}`)
    await card.getByText('Measured').waitFor()
    await card.getByText(/[KMG]iB\/s/).waitFor()
    first().faults.clear()
    await moveProvider(stage.network.devnet, first().providerId, `${first().url}/moved`)
    await stage.gateway.call('POST', `${api}/providers/refresh`)
    await page.reload()
    await card.getByText('Measured at another address').waitFor()
    expect(await card.getByText(/[KMG]iB\/s/).count()).toBe(0)
    await moveProvider(stage.network.devnet, first().providerId, first().url)
    await stage.gateway.call('POST', `${api}/providers/refresh`)
  })

  test('a data set whose provider stops proving shows its missed periods; filters and the sheet are in the address', async () => {
    const fault = second().faults.add({ kind: 'stop_proving' })
    const id = await setOf(second())
    await until('a missed period', async () => {
      const { json } = await stage.gateway.call('GET', `${api}/data-sets?provider_id=${second().providerId}`)
      return json.items[0].facts.proving?.missed_periods > 0 && json.items[0].facts.standing.state === 'denied' ? true : undefined
    })
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/data-sets')
    await expect.poll(() => page.getByRole('row').count()).toBe(3)
    await page.getByLabel('Provider', { exact: true }).selectOption(String(second().providerId))
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await row(page, stageBucket).getByText('the proof is overdue').waitFor()
    await row(page, stageBucket)
      .getByText(/^[1-9]\d* of \d+$/)
      .waitFor()
    await row(page, stageBucket)
      .getByRole('img', { name: /periods proven in the last six weeks; missed: today/ })
      .waitFor()
    await page.getByRole('button', { name: /^Data set \d+$/ }).click()
    await page.locator('dialog:modal').getByText('No copy on it counts as durable until the next proof.').waitFor()
    expect(new URL(page.url()).search).toBe(`?provider=${second().providerId}&set=${id}`)
    await page.goto(stage.gateway.adminUrl + lifePath())
    const copy = page.getByRole('region', { name: 'Replica 2' })
    await copy.getByText('It does not count as durable', { exact: false }).waitFor()
    await page.getByText('1 piece does not count as durable').waitFor()
    await takePicture(page, 'life-denied')
    second().faults.clear(fault)
    await until('the data set counts again', async () => {
      const { json } = await stage.gateway.call('GET', `${api}/data-sets?provider_id=${second().providerId}`)
      return json.items[0].facts.standing.state === 'kept' ? true : undefined
    })
  })

  test('a node of the topology is chosen by keys, is in the address, and leads to its page; filters leave what belongs to them', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/topology')
    const map = page.getByRole('figure', { name: 'Topology' })
    const bucket = map.getByRole('button', { name: stageBucket })
    await bucket.focus()
    await page.keyboard.press('Tab')
    // The lane of the data sets: arrow keys move within it.
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const sheet = page.locator('dialog:modal')
    await sheet.getByText('Chosen because').waitFor()
    const chosen = new URL(page.url()).searchParams.get('node')
    expect(chosen).toBe(`set:${await setOf(second())}`)
    await page.keyboard.press('Escape')
    await expect.poll(() => new URL(page.url()).search).toBe('')
    await page.goto(`${stage.gateway.adminUrl}/topology?node=provider:${first().providerId}`)
    await sheet.getByText('Our data sets there').waitFor()
    await sheet.getByRole('link', { name: 'Open the provider' }).click()
    await page.getByRole('region', { name: 'Scorecard' }).waitFor()
    await page.goto(`${stage.gateway.adminUrl}/topology`)
    await page.getByLabel('Provider', { exact: true }).selectOption(String(first().providerId))
    await expect.poll(() => map.getByRole('button', { name: /^Replica \d · .* Data set \d+$/ }).count()).toBe(1)
    await page.route('**/api/v1/observability/data-sets?**', async (route) => {
      const answer = await route.fetch()
      return route.fulfill({ response: answer, json: { ...(await answer.json()), total: 501 } })
    })
    await page.reload()
    await page.getByText('The first 500 of 501 data sets').waitFor()
  })

  test.each(widths)('pages of health are accessible in both themes at %i px', async (width) => {
    const views = {
      life: lifePath(),
      providers: '/providers',
      provider: `/providers/${first().providerId}`,
      'data-sets': '/data-sets',
      'data-set': `/data-sets?set=${await setOf(first())}`,
      topology: '/topology',
      'topology-node': `/topology?node=bucket:${stageBucket}`,
      overview: '/',
    }
    await using watched = await openPage({ width })
    const { page } = watched
    await open(page, '/')
    for (const [name, path] of Object.entries(views)) {
      await page.goto(stage.gateway.adminUrl + path)
      await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
      await page.locator('.kit-pulse').first().waitFor({ state: 'detached' })
      expect([name, await findFlaws(page, `health-${name}`)]).toEqual([name, []])
    }
  })
})
