/** The pages of repairs and of what would be without a provider, over records that the tests state. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import { type TestSurface, testSurface } from '../../plugins/replacement/testing/test-surface.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'
import { findFlaws, widths } from './fixtures/inspect.ts'

let svc: TestSurface

beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  svc = await testSurface({ config: { 'repair.daily_spend_limit': '2.5' } })
})
afterAll(() => svc?.stop())

const open = async (page: Page, path: string) => {
  await signIn(page, { base_url: svc.url, admin: testOperator }, path)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
}
const shown = (page: Page, text: string | RegExp) => page.getByText(text).locator('visible=true').first()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

// The tests follow each other: later ones add decisions.
describe.runIf(hasBrowser)('the pages of repairs', { timeout: 240_000 }, () => {
  test('without a decision the page says so, and that repairs are off', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/repairs')
    await shown(page, 'No decisions').waitFor()
    await shown(page, 'Automatic repair is off').waitFor()
    await shown(page, /of 2\.5 USDFC/).waitFor()
  })

  test('each decision says what was wrong and what was done, in text that cannot be markup, and leads to its replacement', async () => {
    await svc.decide({ action: 'loss', signal: 'copies_denied', reason: 'last_copy_lost', message: '3 contents have no readable copy' })
    await svc.decide({ action: 'refused', reason: 'spend_ceiling', message: '<img src=x onerror="window.hit=1"> above the limit' })
    await svc.decide({ action: 'replaced', message: 'moves to provider 8', replacementId: 4, fee: 42n * 10n ** 15n })
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/repairs')
    await row(page, 'Loss').filter({ hasText: '3 contents have no readable copy' }).waitFor()
    await row(page, 'Not repaired').filter({ hasText: '<img src=x onerror="window.hit=1"> above the limit' }).waitFor()
    expect(await page.locator('#main img').count()).toBe(0)
    const repaired = row(page, 'Repaired').filter({ hasText: 'The provider does not answer' })
    await repaired.getByText('0.042 USDFC').waitFor()
    await shown(page, /Estimated fees of repairs today: ?0\.042 USDFC/).waitFor()
    await repaired.getByRole('link', { name: '#4' }).click()
    await page.waitForURL('**/replacements/4')
    expect(await page.evaluate('window.hit')).toBeUndefined()
  })

  test('earlier decisions are on further pages, and the address keeps the page', async () => {
    for (let n = 0; n < 55; n++) await svc.decide({ message: `decision number ${n}` })
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/repairs')
    await shown(page, '50 decisions on this page').waitFor()
    await row(page, 'decision number 54').waitFor()
    await button(page, 'Next').click()
    await shown(page, '8 decisions on this page').waitFor()
    await row(page, 'decision number 4').waitFor()
    await page.reload()
    await shown(page, '8 decisions on this page').waitFor()
    await button(page, 'First').click()
    await row(page, 'decision number 54').waitFor()
  })

  test('the wizard leads to what would be without the provider, with every risk, the time and the cost', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets/photos/replace/1')
    await page.getByRole('link', { name: 'What if it fails?' }).click()
    await page.getByRole('heading', { name: 'If Old One fails', level: 1 }).waitFor()
    for (const [risk, contents] of [
      ['Stored there', '9'],
      ['Below the target', '9'],
      ['Below the minimum', '4'],
      ['Without another copy', '2'],
      ['Lost', '1'],
    ] as const) {
      expect(await row(page, risk).first().getByRole('cell').nth(1).innerText(), risk).toContain(contents)
    }
    for (const text of ['2m 5s', /the median of 3 providers/, '0.042 USDFC', '0.62 USDFC', 'and 2 other buckets'])
      await shown(page, text).waitFor()
    await page.getByRole('link', { name: 'photos' }).click()
    await page.waitForURL('**/buckets/photos?tab=replacements')
  })

  test.each(['/providers/99/what-if', '/providers/x/what-if'])('%s names no provider', async (path) => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, path)
    await shown(page, 'No such provider').waitFor()
  })

  test.each(widths)('both pages are accessible in both themes at %i px', async (width) => {
    await using watched = await openPage({ width })
    const { page } = watched
    for (const [path, text, name] of [
      ['/repairs', '50 decisions on this page', 'repairs'],
      ['/providers/7/what-if', 'and 2 other buckets', 'what-if'],
    ] as const) {
      if (name === 'repairs') await open(page, path)
      else await page.goto(`${svc.url}${path}`)
      await shown(page, text).waitFor()
      expect([name, await findFlaws(page, name)]).toEqual([name, []])
    }
  })
})
