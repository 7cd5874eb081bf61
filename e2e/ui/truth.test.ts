/** A provider refuses until the tasks have failed: every page says so, also after the dismissal, and one click mends it. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import type { SimulatedProvider } from '../../devnet/provider/provider.ts'
import { createAdvancingClock } from '../fixtures/gateways/serve-here.ts'
import { type Stage, type StoredObject, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'
import { createHand } from './fixtures/hand.ts'
import { findFlaws, takePicture, widths } from './fixtures/inspect.ts'

const minuteMs = 60_000
const count = 3
const clock = createAdvancingClock()
let stage: Stage
let puller: SimulatedProvider
let objects: readonly StoredObject[]

beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  stage = await startStage({ providers: 2, copies: 2, clock, settings: { 'worker.tasks.max_retries': 0 } })
  await stage.stored(await stage.put())
  const [, second] = await stage.providers()
  if (!second) throw new Error('two slots need two providers')
  puller = second
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const get = async (path: string) => (await stage.gateway.call('GET', `/api/v1${path}`)).json
const open = async (page: Page, path: string) => {
  await signIn(page, { base_url: stage.gateway.adminUrl, admin: testOperator }, path)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
}

/** What each view of the API counts as stuck. */
async function stuckBy() {
  const findings = (await stage.gateway.call('POST', '/api/v1/doctor/checks/replication.stuck-copies/run', { json: { after: '0' } })).json
  const metric = /^svc_stuck_objects (\d+)$/m.exec((await stage.gateway.call('GET', '/metrics')).text)?.[1]
  const listed: readonly { readonly copies?: { readonly work: string } }[] = (await get(`/buckets/${stageBucket}/objects`)).objects
  const isStuck = (one: { readonly copies?: { readonly work: string } }) => one.copies?.work === 'stuck'
  return {
    overview: (await get('/overview')).objects.below_target.stuck,
    bucket: (await get(`/buckets/${stageBucket}`)).below_target.stuck,
    buckets: (await get('/buckets'))[0].below_target.stuck,
    listed: listed.filter(isStuck).length,
    filtered: (await get(`/buckets/${stageBucket}/objects?work=stuck`)).objects.filter(isStuck).length,
    list: (await get('/below-target?work=stuck')).objects.length,
    causes: (await get('/below-target/causes')).objects.stuck,
    doctor: findings.findings.length,
    metric: Number(metric),
  }
}
const allAre = (n: number) =>
  Object.fromEntries(
    Object.keys({ overview: 0, bucket: 0, buckets: 0, listed: 0, filtered: 0, list: 0, causes: 0, doctor: 0, metric: 0 }).map((view) => [
      view,
      n,
    ]),
  )
const agreeOn = (n: number) =>
  expect
    .poll(
      async () => {
        // Counts are kept for a while.
        clock.advance(minuteMs / 2)
        return stuckBy()
      },
      { timeout: 60_000, interval: 300 },
    )
    .toEqual(allAre(n))

describe.runIf(hasBrowser)('what is stored how often', { timeout: 240_000 }, () => {
  test('I-43: every page and metric agrees on what is stuck, before and after a dismissal, and one click makes the copies', async () => {
    puller.faults.add({ kind: 'answer', status: 400, text: 'no more pieces', routes: ['pull', 'upload_create', 'piece_post'] })
    objects = await Promise.all(Array.from({ length: count }, () => stage.put()))
    for (const object of objects) await stage.stored(object, 1)
    await until('the tasks have failed', async () => {
      clock.advance(minuteMs)
      return (await get('/overview')).objects.below_target.stuck === count || undefined
    })
    await agreeOn(count)
    await using watched = await openPage()
    const { page } = watched
    const hand = await createHand(page)
    await open(page, '/tasks')
    await page
      .getByRole('row')
      .filter({ hasText: `at provider ${puller.providerId} (` })
      .or(page.getByRole('row').filter({ hasText: `${stageBucket}/object-` }))
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Dismiss failures' }).click()
    const dialog = page.getByRole('dialog', { name: 'Dismiss failures' })
    await dialog.getByText(`${count} objects have too few copies, and nothing works on them`).waitFor()
    await dialog.getByText(`${stageBucket}/${objects[0]?.key}`).waitFor()
    await dialog.getByRole('button', { name: 'Retry instead' }).waitFor()
    await dialog.getByRole('button', { name: 'Dismiss', exact: true }).click()
    await page.getByText(/failures? dismissed/).waitFor()
    await agreeOn(count)
    expect((await get('/overview')).tasks.attention.failed).toBe(0)

    await page.goto(`${stage.gateway.adminUrl}/buckets`)
    await page
      .getByRole('row')
      .filter({ hasText: stageBucket })
      .getByRole('link', { name: `${count} stuck` })
      .click()
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'no more pieces' }).count()).toBe(count)
    await page.getByText(`Below target: ${count} stuck`).waitFor()
    await page.goto(`${stage.gateway.adminUrl}/buckets/${stageBucket}`)
    await expect.poll(() => page.getByRole('row').filter({ hasText: '1 of 2' }).getByText('Stuck', { exact: true }).count()).toBe(count)
    const inState = (state: string) => page.getByLabel('State', { exact: true }).selectOption(state)
    await inState('stuck')
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'object-' }).count()).toBe(count)
    expect(new URL(page.url()).searchParams.get('work')).toBe('stuck')
    await inState('waiting')
    await page.getByText('No object here waits for copies').filter({ visible: true }).waitFor()
    await page.getByRole('button', { name: 'Show every state' }).click()
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'object-' }).count()).toBeGreaterThan(count)

    await hand.start(stage.gateway.adminUrl)
    await page.getByRole('link', { name: `${count} objects have too few copies, and nothing works on them` }).waitFor()
    const causes = page.getByRole('region', { name: 'Why copies are missing' })
    const cause = causes.getByRole('listitem').filter({ hasText: `Provider ${puller.providerId} (devnet-provider-` })
    await cause.getByText(`fails: ${count} objects below target`).waitFor()
    await cause.getByText('no more pieces', { exact: false }).waitFor()
    expect(await page.getByText('Nothing needs your attention').count()).toBe(0)
    await takePicture(page, 'overview-stuck')
    // What is wrong, the figures and the causes are on the first screen.
    const figures = page.getByRole('link', { name: /^(Below target|The deposit lasts|Objects|Open tasks)/ })
    const places = await Promise.all([...(await figures.and(page.locator('#main a')).all()), causes].map((part) => part.boundingBox()))
    expect(places).toHaveLength(5)
    expect(Math.max(...places.map((box) => (box ? box.y + box.height : Number.POSITIVE_INFINITY)))).toBeLessThanOrEqual(900)
    puller.faults.clear()
    await cause.getByRole('button', { name: 'Retry all' }).click()
    await page.getByText(/tasks? enqueued/).waitFor()
    expect(await hand.clicks()).toBe(1)
    for (const object of objects) await stage.stored(object)
    await agreeOn(0)
    await causes.waitFor({ state: 'detached' })
  })

  test('a page of objects is a few requests, with the copies of all of them', async () => {
    for (let put = 0; put < 20; put += 1) await stage.put()
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/')
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/v1/')) asked.push(new URL(request.url()).pathname)
    })
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Buckets' }).click()
    await page.getByRole('link', { name: stageBucket, exact: true }).waitFor()
    // What the overview and the list of buckets asked for does not count.
    asked.length = 0
    await page.getByRole('link', { name: stageBucket, exact: true }).click()
    await expect.poll(() => page.getByRole('img', { name: /^\d of 2 copies/ }).count()).toBeGreaterThan(20)
    expect(asked.filter((path) => path.endsWith('/provenance'))).toEqual([])
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(8)
    asked.length = 0
    await page.reload()
    await expect.poll(() => page.getByRole('img', { name: /^\d of 2 copies/ }).count()).toBeGreaterThan(20)
    // Six of them are for every page: the session, its plugins, the stream of events, and what the menu and the banners show.
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(8)
    // The name is a link, so that it opens in another tab too.
    const link = page.getByRole('link', { name: 'object-0', exact: true })
    expect(await link.getAttribute('href')).toBe(`/buckets/${stageBucket}?object=object-0`)
  })

  test.each(widths)('the pages of copies are accessible in both themes at %i px', async (width) => {
    await using watched = await openPage({ width })
    const { page } = watched
    await open(page, '/below-target')
    for (const path of ['/below-target', `/buckets/${stageBucket}?tab=below-target`, '/buckets']) {
      await page.goto(`${stage.gateway.adminUrl}${path}`)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      expect([path, await findFlaws(page, `truth-${path.replaceAll(/\W+/g, '-')}`)]).toEqual([path, []])
    }
  })
})
