import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import { startTaskGateway, type TaskGateway } from '../fixtures/task-gateway.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'
import { findBarriers, findFlaws, findOverflow, widths } from './fixtures/inspect.ts'
import { hostile, undecidedCopies } from './fixtures/undecided-copies.ts'

let svc: TaskGateway

beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  svc = await startTaskGateway()
})
afterAll(() => svc?.[Symbol.asyncDispose]())

const open = async (page: Page, path: string) => {
  await signIn(page, { base_url: svc.adminUrl, admin: testOperator }, path)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
}
const rowOf = (page: Page, id: number) => page.getByRole('row').filter({ hasText: `#${id}` })
/** Qwik keeps a hidden copy of projected content. */
const shown = (page: Page, text: string) => page.getByText(text).locator('visible=true')

// A busy machine needs most of its time for the rules of axe.
describe.runIf(hasBrowser)('the pages of operations', { timeout: 240_000 }, () => {
  test('a failed task shows its facts, is retried after a review, and the row follows without a reload', async () => {
    const { id } = await svc.putUntil('failed', { of: 'onceOnly', end: 'fail once', message: hostile })
    await using watched = await openPage()
    const { page } = watched
    await open(page, `/tasks?status=failed&task=${id}`)
    const sheet = page.getByRole('dialog', { name: 'Deliver a parcel once' })
    await sheet.getByText('It failed and does not run again by itself.').waitFor()
    expect(await sheet.locator('img').count()).toBe(0)
    await sheet.getByRole('button', { name: 'Retry' }).click()
    const review = page.getByRole('dialog', { name: 'Retry this task?' })
    await review.getByText('Sends the carrier once more.').waitFor()
    await review.getByRole('button', { name: 'Retry' }).click()
    await review.waitFor({ state: 'hidden' })
    await sheet.getByText('It is done.').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => new URL(page.url()).search).toBe('?status=failed')
    await rowOf(page, id).waitFor({ state: 'detached' })
    expect(await page.evaluate('window.hit')).toBeUndefined()
  })

  test('a failure that the API would not retry says so, and can be dismissed', async () => {
    const { id } = await svc.putUntil('failed', { of: 'stubborn', end: 'fail' })
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/tasks?type=test_stubborn')
    await rowOf(page, id)
      .getByRole('button', { name: `Actions for task ${id}` })
      .click()
    const retry = page.getByRole('menuitem', { name: 'Retry This failure cannot be retried.' })
    expect(await retry.getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('menuitem', { name: 'Dismiss' }).click()
    await page.getByRole('dialog', { name: 'Dismiss this failure?' }).getByRole('button', { name: 'Dismiss', exact: true }).click()
    await rowOf(page, id).getByText('Dismissed').waitFor()
  })

  test('a bulk dismissal takes the failures that it counted, and a later one stays', async () => {
    await svc.call('POST', '/api/v1/tasks/acknowledge')
    for (const end of ['fail', 'fail'] as const) await svc.putUntil('failed', { of: 'onceOnly', end })
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/tasks')
    await page.getByRole('button', { name: 'Dismiss failures' }).click()
    const dialog = page.getByRole('dialog', { name: 'Dismiss failures' })
    await dialog.getByText(/^2 failures up to/).waitFor()
    const later = await svc.putUntil('failed', { of: 'onceOnly', end: 'fail' })
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/tasks/acknowledge'))
    await dialog.getByRole('button', { name: 'Dismiss', exact: true }).click()
    expect((await sent).postDataJSON().failed_before).toMatch(/\.\d{3}Z$/)
    await page.getByText('2 failures dismissed').waitFor()
    expect((await svc.list('?status=failed')).tasks.map(({ id }) => id)).toEqual([later.id])
    await rowOf(page, later.id).getByText('Failed').waitFor()
  })

  test('failed tasks of a type are retried together in four clicks from the overview, and a kind that deletes is left to each', async () => {
    await svc.call('POST', '/api/v1/tasks/acknowledge')
    for (let count = 0; count < 19; count += 1) await svc.put({ of: 'onceOnly', end: 'fail once' })
    await expect.poll(async () => (await svc.list('?status=failed&limit=100')).tasks.length).toBe(19)
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/')
    await page.getByRole('link', { name: '19 tasks failed' }).click()
    await page.getByRole('button', { name: 'Retry failures' }).click()
    const dialog = page.getByRole('dialog', { name: 'Retry failures' })
    await dialog.getByText('Sends the carrier once more.').waitFor()
    await dialog.getByRole('button', { name: 'Retry 19 tasks' }).click()
    await page.getByText('19 tasks run again').waitFor()
    await expect.poll(async () => (await svc.list('?status=failed&limit=100')).tasks.length).toBe(0)
  })

  test('the list is paged by cursor, and the address keeps the page', async () => {
    await svc.put({ of: 'collect', end: 'done', count: 51 })
    await expect.poll(async () => (await svc.list('?type=test_collect&status=completed&limit=100')).tasks.length).toBe(51)
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/tasks?type=test_collect')
    await page.getByText('50 tasks on this page').waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('1 task on this page').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'First' }).click()
    await page.getByText('50 tasks on this page').waitFor()
    await page.goBack()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
  })

  test('the copies of one transaction are released as a group, only with the check box; a refusal reads them again, and they leave by themselves', async () => {
    const [entry, other] = undecidedCopies
    let entries = [entry, other]
    const released: unknown[] = []
    await using watched = await openPage()
    const { page } = watched
    await page.route('**/api/v1/storage-confirmations?*', (route) => route.fulfill({ json: entries }))
    await page.route('**/api/v1/storage-confirmations/release', (route) => {
      const asked = route.request().postDataJSON()
      released.push([asked.expected_attempt_id, asked.acknowledge_possible_duplicate])
      if (released.length === 1) {
        entries = [entry, other].map((one) => ({ ...one, attempt_id: '6' }))
        return route.fulfill({
          status: 409,
          json: { error: 'The copy has another attempt by now.', code: 'storage_confirmation_changed' },
        })
      }
      const answer = { attempt_id: '6', released: 1, refused: 0, refusals: [], has_more: false }
      entries = released.length > 2 ? [] : entries.slice(1)
      if (entries.length === 0) return route.fulfill({ json: answer })
      const refusals = [{ copy_id: 43, code: 'storage_confirmation_changed', error: 'Its attempt is being sent.' }]
      return route.fulfill({ json: { ...answer, refused: 1, refusals } })
    })
    await open(page, '/storage-confirmations')
    // One transaction is one row, with the fees of both copies: 0.002 of the call and 0.0001 of each piece.
    expect(await page.getByRole('row').count()).toBe(2)
    await page.getByRole('row').filter({ hasText: 'and 1 other copy' }).getByText('0.0022').waitFor()
    await page.getByRole('button', { name: 'Actions for attempt 5' }).click()
    await page.getByRole('menuitem', { name: 'Release 2 copies' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Release 2 copies?' })
    await dialog.getByText('0.0022 USDFC of fees').waitFor()
    const release = dialog.getByRole('button', { name: 'Release', exact: true })
    expect(await release.getAttribute('aria-disabled')).toBe('true')
    await release.click({ force: true })
    expect(released).toEqual([])
    await dialog.getByRole('checkbox').check()
    await release.click()
    await dialog.getByText('The copy has another attempt by now.').waitFor()
    expect(await dialog.getByRole('checkbox').isChecked()).toBe(false)
    await dialog.getByRole('checkbox').check()
    await release.click()
    const left = page.getByRole('alertdialog', { name: 'Release 1 copy?' })
    await left.getByText('1 copy: Its attempt is being sent.').waitFor()
    expect(await left.getByRole('checkbox').isChecked()).toBe(false)
    await left.getByRole('checkbox').check()
    await left.getByRole('button', { name: 'Release', exact: true }).click()
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' })
    await shown(page, 'No confirmation needs a decision').waitFor()
    expect(released).toEqual([
      ['5', true],
      ['6', true],
      ['6', true],
    ])
    expect(await page.evaluate('window.hit')).toBeUndefined()
  })

  test('a check of the doctor runs and shows what it compared', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/doctor')
    const check = page.getByRole('region', { name: 'Migrations of the database against those of svc and its plugins' })
    await check.getByRole('button', { name: /^Run/ }).click()
    await check.getByText('In order').waitFor()
    await check.getByText(/compared/).waitFor()
  })

  test('the life of an object and storage risk keep hostile keys as text through the address', async () => {
    expect(
      (await svc.call('POST', '/api/v1/buckets', { json: { name: 'hostile-keys', owner_access_key: '__internal_root__' } })).status,
    ).toBe(201)
    const key = `../a%2Fb/${hostile}😀/`
    const query = new URLSearchParams({ key })
    const upload = await svc.call('POST', `/api/v1/buckets/hostile-keys/objects/upload?${query}`, {
      body: Buffer.alloc(200, 7),
      headers: { 'content-type': 'text/html' },
    })
    expect(upload.status).toBe(200)
    query.set('version', upload.json.version_id)
    await using watched = await openPage({ width: 390 })
    const { page } = watched
    await open(page, `/buckets/hostile-keys/life?${query}`)
    await page.getByText('‹202E›gpj.exe', { exact: false }).first().waitFor()
    await page.getByText('200 B').waitFor()
    const file = await page.getByRole('link', { name: 'Download', exact: true }).getAttribute('href')
    const bytes = await svc.call('GET', file ?? '')
    expect([bytes.status, bytes.bytes.length, bytes.headers['content-disposition']]).toEqual([
      200,
      200,
      expect.stringMatching(/^attachment/),
    ])
    expect([await findBarriers(page), await findOverflow(page)]).toEqual([[], 0])
    await page.goto(`${svc.adminUrl}/buckets/hostile-keys/risk?${new URLSearchParams({ key })}`)
    await shown(page, 'No affected version matches').waitFor()
    expect(await page.getByRole('searchbox', { name: 'Object key' }).inputValue()).toBe(key)
    expect(await page.evaluate('window.hit')).toBeUndefined()
  })

  test.each(widths)('pages with parameters and the open sheet are accessible in both themes at %i px', async (width) => {
    const { id } = await svc.putUntil('failed', { of: 'onceOnly', end: 'fail' })
    await using watched = await openPage({ width })
    const { page } = watched
    await open(page, `/tasks?task=${id}`)
    await page.getByText('It failed and does not run again by itself.').waitFor()
    expect(await findFlaws(page, 'task-sheet')).toEqual([])
    await page.goto(`${svc.adminUrl}/buckets/hostile-keys/risk`)
    await shown(page, 'No version is affected').waitFor()
    expect(await findFlaws(page, 'risk')).toEqual([])
  })
})
