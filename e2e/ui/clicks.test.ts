/** How many clicks the jobs of an operator take, on a gateway with copies at providers; the guide has the same numbers. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import { freePort } from '../fixtures/free-port.ts'
import { type Stage, startStage } from '../fixtures/gateways/stage.ts'
import { createTaskCalls, readTasks, taskPlugin } from '../fixtures/task-gateway.ts'
import { until } from '../fixtures/until.ts'
import { waitForCopies } from '../fixtures/verify-copies.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'
import { act, bucketJobs, button, deepKey, dialog, firstText, found, inMenu, type Job, lostKey, main } from './fixtures/clicked-jobs.ts'
import { createHand, type Hand } from './fixtures/hand.ts'
import { undecidedCopies } from './fixtures/undecided-copies.ts'

const guide = readFileSync(fileURLToPath(new URL('../../docs/guide/dashboard.md', import.meta.url)), 'utf8')
const stack = new AsyncDisposableStack()
let stage: Stage
let hand: Hand
let page: Page
let owner: string

const call = async (method: string, path: string, json?: object) => {
  const reply = await stage.gateway.call(method, `/api/v1${path}`, json === undefined ? {} : { json })
  if (reply.status >= 300) throw new Error(`${method} ${path} was answered ${reply.status} ${reply.text}`)
  return reply.json
}
const put = async (bucket: string, key: string, text = firstText) => {
  const stored = await stage.s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: text, ContentType: 'text/plain' }))
  return { bucket, versionId: stored.VersionId ?? '' }
}

/** Nothing is deleted permanently while its copies are being made. */
async function fill(): Promise<void> {
  const { access_key } = (await call('GET', '/s3-users'))[0]
  owner = access_key
  for (const name of Object.values(found)) {
    const copies = name === found.kept ? 2 : 1
    await call('POST', '/buckets', { name, owner_access_key: owner, default_copies: copies, minimum_durable_copies: 1 })
  }
  const putKept = (text: string) => ['report.txt', deepKey].map((key) => put(found.kept, key, text))
  const firsts = [...[found.emptied, found.purged, found.deleted].map((bucket) => put(bucket, 'gone.txt')), ...putKept(firstText)]
  const versions = [...(await Promise.all(firsts)), ...(await Promise.all(putKept('second'.padEnd(200))))]
  for (const version of versions) {
    await waitForCopies(stage.gateway, version, { copies: version.bucket === found.kept ? 2 : 1 })
  }
  await put(found.kept, lostKey)
  await call('DELETE', `/buckets/${found.kept}/objects?key=${encodeURIComponent(lostKey)}`)
  for (const bucket of [found.emptied, found.purged]) await call('DELETE', `/buckets/${bucket}/objects?key=gone.txt`)
}

beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  // A link names the port of the settings.
  const settings = { 'plugins.packages': [taskPlugin], 's3.public_access': true, 'server.port': `127.0.0.1:${await freePort()}` }
  stage = stack.use(await startStage({ copies: 1, settings }))
  await fill()
  const watched = stack.use(await openPage({ permissions: ['clipboard-read', 'clipboard-write'] }))
  page = watched.page
  hand = await createHand(page)
  await signIn(page, { base_url: stage.gateway.adminUrl, admin: testOperator })
}, 240_000)
afterAll(() => stack.disposeAsync())

/** A page that needs fewer clicks changes the table and the guide too. */
async function check({ name, clicks, from = '/sessions', run }: Job): Promise<void> {
  await hand.start(stage.gateway.adminUrl + from)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await run(hand)
  expect(await hand.clicks()).toBe(clicks)
  expect(guide).toContain(`| ${name} | ${clicks} |`)
}

async function failTasks(count: number): Promise<void> {
  const ids = await createTaskCalls(stage.gateway).put({ of: 'onceOnly', end: 'fail once', count })
  await until('failed tasks', async () => {
    const { tasks } = await readTasks(stage.gateway, '?status=failed&limit=100')
    expect(tasks.filter(({ id }) => !ids.includes(id))).toEqual([])
    return tasks.length === count || undefined
  })
}

const moneyJobs: readonly Job[] = [
  {
    name: 'See how long the deposit lasts, and what storage costs each day',
    clicks: 0,
    from: '/',
    run: () => page.getByRole('link', { name: /^The deposit lasts.*USDFC each day$/ }).waitFor(),
  },
  {
    name: 'See what each bucket costs',
    clicks: 1,
    async run() {
      await inMenu(page, 'Costs')
      await page.getByRole('region', { name: 'By bucket' }).getByRole('row').filter({ hasText: found.kept }).waitFor()
    },
  },
]

const taskJobs: readonly Job[] = [
  {
    name: 'Retry 19 failed tasks',
    clicks: 3,
    from: '/',
    async run() {
      await page.getByRole('link', { name: '19 tasks failed' }).click()
      await button(page, 'Retry failures').click()
      await button(dialog(page), 'Retry 19 tasks').click()
      await page.getByText('19 tasks run again').waitFor()
    },
  },
  {
    name: 'Retry one failed task',
    clicks: 4,
    from: '/',
    async run() {
      await page.getByRole('link', { name: '1 task failed' }).click()
      await act(page, /^Actions for task/, 'Retry')
      await button(dialog(page), 'Retry').click()
      await until('the end of the task', async () => (await call('GET', '/overview')).tasks.attention.failed === 0 || undefined)
    },
  },
  {
    name: 'Dismiss failures',
    clicks: 3,
    from: '/',
    async run() {
      await page.getByRole('link', { name: '1 task failed' }).click()
      await button(page, 'Dismiss failures').click()
      await button(dialog(page), 'Dismiss').click()
      await page.getByText('1 failure dismissed').waitFor()
    },
  },
]

const serviceJobs: readonly Job[] = [
  {
    name: 'Make an S3 user with its configuration of rclone',
    clicks: 4,
    async run() {
      await inMenu(page, 'S3 users')
      await button(page, 'Create user').click()
      await button(dialog(page), 'Create user').click()
      await dialog(page).getByRole('tab', { name: 'rclone' }).click()
      await dialog(page).getByText('[svc]').first().waitFor()
    },
  },
  {
    name: 'Disable an S3 user',
    clicks: 4,
    async run() {
      await inMenu(page, 'S3 users')
      await act(page, `Actions for ${owner}`, 'Disable')
      await button(dialog(page), 'Disable').click()
      await main(page).getByText('Disabled', { exact: true }).waitFor()
    },
  },
  {
    name: 'Change a setting',
    clicks: 5,
    async run({ type }) {
      await inMenu(page, 'Settings')
      await page.getByRole('tab', { name: /^Cache/ }).click()
      await type(page.locator('input[name="cache.max_size_gb"]'), '77')
      await button(page, 'Review and save').click()
      await button(dialog(page), 'Save').click()
      await page.getByText('Settings saved').waitFor()
    },
  },
  {
    name: 'Disable a plugin',
    clicks: 4,
    async run({ typeAtOnce }) {
      await inMenu(page, 'System')
      await act(page, 'Actions for costs', 'Disable')
      await typeAtOnce(dialog(page).getByLabel('Type SAVE to confirm'), 'SAVE')
      await button(dialog(page), 'Disable').click()
      await page.getByText('costs will be disabled').waitFor()
    },
  },
]

// The jobs follow each other: later ones find what earlier ones left.
describe.runIf(hasBrowser)('clicks of the jobs', { timeout: 120_000 }, () => {
  test('Sign in: 0', async () => {
    await using watched = await openPage()
    const fresh = await createHand(watched.page)
    await fresh.start(stage.gateway.adminUrl)
    await expect.poll(() => watched.page.evaluate('document.activeElement.getAttribute("name")')).toBe('password')
    expect(await watched.page.getByLabel('User name').inputValue()).toBe(testOperator.username)
    await watched.page.keyboard.type(testOperator.password)
    await watched.page.keyboard.press('Enter')
    await main(watched.page).waitFor()
    expect(await fresh.clicks()).toBe(0)
    expect(guide).toContain('| Sign in, with the password and Enter | 0 |')
  })

  test.each(bucketJobs)('$name: $clicks', check)

  test.each(moneyJobs)('$name: $clicks', async (job) => {
    await until('costs', async () => (await call('POST', '/cost/refresh')).rate?.per_epoch !== '0' || undefined)
    await check(job)
  })

  test.each(taskJobs)('$name: $clicks', async (job) => {
    await failTasks(job.name.includes('19') ? 19 : 1)
    await check(job)
  })

  test('Release the copies of a transaction whose outcome is unknown: 5', async () => {
    let entries: readonly object[] = undecidedCopies
    await page.route('**/api/v1/storage-confirmations?*', (route) => route.fulfill({ json: entries }))
    await page.route('**/api/v1/storage-confirmations/release', (route) => {
      entries = []
      return route.fulfill({ json: { attempt_id: '5', released: 2, refused: 0, refusals: [], has_more: false } })
    })
    const job = {
      name: 'Release the copies of a transaction whose outcome is unknown',
      clicks: 5,
      async run() {
        await inMenu(page, 'Confirmations')
        await act(page, 'Actions for attempt 5', 'Release 2 copies')
        await dialog(page).getByRole('checkbox').click()
        await button(dialog(page), 'Release').click()
        await page.getByText('2 copies released').waitFor()
      },
    }
    await check(job)
  })

  test.each(serviceJobs)('$name: $clicks', check)
})
