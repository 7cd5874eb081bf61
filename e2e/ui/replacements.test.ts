/** The pages of replacements, over records that the tests state. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import { replacementErrors } from '../../plugins/replacement/testing/errors.ts'
import { estimate, fakeCosts } from '../../plugins/replacement/testing/fake-costs.ts'
import { progress, replacement, type TestSurface, testSurface } from '../../plugins/replacement/testing/test-surface.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'
import { findFlaws, widths } from './fixtures/inspect.ts'

let svc: TestSurface
const costs = fakeCosts()

beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  svc = await testSurface({ plugins: [costs.plugin] })
})
afterAll(() => svc?.stop())

beforeEach(() => {
  if (!hasBrowser) return
  svc.records.clear()
  svc.progresses.clear()
  svc.commands.length = 0
  svc.refusal = undefined
  svc.candidates = [free, used, serving, source]
  costs.lists.length = 0
  costs.estimate = estimate()
})

const provider = (providerId: string, name: string) => ({ providerId, name, serviceUrl: `https://p${providerId}.example` }) as never
const eligible = { isEligible: true, ineligibleReason: undefined, wasUsed: false }
const free = { ...eligible, provider: provider('8', 'Fresh Storage') }
const used = { ...eligible, provider: provider('5', 'Earlier Storage'), wasUsed: true }
const serving = {
  provider: provider('9', 'Second Copy'),
  isEligible: false,
  ineligibleReason: 'already_serves_bucket',
  wasUsed: false,
} as const
const source = { provider: provider('7', 'Old One'), isEligible: false, ineligibleReason: 'current_source', wasUsed: false } as const

const open = async (page: Page, path: string) => {
  await signIn(page, { base_url: svc.url, admin: testOperator }, path)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
}
const shown = (page: Page, text: string | RegExp) => page.getByText(text).locator('visible=true').first()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const wizard = '/buckets/photos/replace/1'
/** The statement can be accepted when its price is shown. */
const accept = (dialog: ReturnType<typeof dialogOf>) => dialog.getByRole('checkbox').check()
const dialogOf = (page: Page) => page.getByRole('alertdialog', { name: 'Replace provider 7?' })

async function goToReview(page: Page) {
  await button(page, 'Continue').click()
  await shown(page, 'svc chooses').waitFor()
  await button(page, 'Continue').click()
  await shown(page, '0.62 USDFC').waitFor()
}

// A busy machine needs most of its time for the rules of axe.
describe.runIf(hasBrowser)('the pages of replacements', { timeout: 240_000 }, () => {
  test('a replica is moved by one confirmation that shows its price, and is sent once', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets/photos?tab=replacements')
    await page.getByRole('link', { name: 'Replace the provider of replica 1' }).click()
    await page.getByRole('heading', { name: 'Replace a provider', level: 1 }).waitFor()
    await goToReview(page)
    for (const text of ['0.042 USDFC', '0.05 USDFC', 'paid for 30 days from its lock', '91 days', 'Fresh Storage · provider 8']) {
      await shown(page, text).waitFor()
    }
    await button(page, 'Replace the provider').click()
    const dialog = dialogOf(page)
    const confirm = dialog.getByRole('button', { name: 'Replace', exact: true })
    await dialog.getByLabel('Type photos to confirm').fill('photos')
    await confirm.click({ force: true })
    expect(svc.commands).toEqual([])
    await accept(dialog)
    await confirm.dblclick()
    await page.waitForURL('**/replacements/1')
    expect(svc.commands).toMatchObject([{ mode: 'automatic', dataSetId: 1, clientRequestId: expect.stringMatching(/^ui-[0-9a-f]{32}$/) }])
    expect(svc.commands[0]?.providerId).toBeUndefined()
    expect(costs.lists).toEqual([costs.estimate.price_fingerprint])
    await shown(page, 'The new service is being created. Uploads still go to the old provider.').waitFor()
  })

  test('a provider is chosen by hand; those that cannot take the replica say why, and a refusal leads back to the choice', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, wizard)
    await button(page, 'Continue').click()
    await page.getByRole('radio', { name: /^I choose/ }).check()
    await expect.poll(() => button(page, 'Continue').getAttribute('aria-disabled')).toBe('true')
    expect(await page.getByRole('radio', { name: /^Second Copy.*It stores a replica of this bucket already/ }).isDisabled()).toBe(true)
    expect(await page.getByRole('radio', { name: /^Old One.*This is the provider to replace/ }).isDisabled()).toBe(true)
    await page.getByRole('radio', { name: /^Earlier Storage.*used by this bucket before, retired/ }).check()
    await button(page, 'Continue').click()
    await button(page, 'Replace the provider').click()
    const dialog = dialogOf(page)
    svc.refusal = replacementErrors.replacement_target_in_use()
    await accept(dialog)
    await dialog.getByLabel('Type photos to confirm').fill('photos')
    await dialog.getByRole('button', { name: 'Replace', exact: true }).click()
    await dialog.waitFor({ state: 'hidden' })
    await shown(page, 'The provider already stores a replica of the bucket. Choose another provider.').waitFor()
    expect(svc.commands).toMatchObject([{ mode: 'manual', providerId: '5' }])
    svc.refusal = undefined
    await page.getByRole('radio', { name: /^Fresh Storage/ }).check()
    await button(page, 'Continue').click()
    await button(page, 'Replace the provider').click()
    await accept(dialog)
    await dialog.getByLabel('Type photos to confirm').fill('photos')
    await dialog.getByRole('button', { name: 'Replace', exact: true }).click()
    await page.waitForURL('**/replacements/1')
    const [first, second] = svc.commands
    expect([second?.providerId, second?.clientRequestId === first?.clientRequestId]).toEqual(['8', true])
  })

  test('after the prices changed the dialog shows the new ones and must be accepted again, with the same id', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, wizard)
    await goToReview(page)
    await button(page, 'Replace the provider').click()
    const dialog = dialogOf(page)
    await accept(dialog)
    await dialog.getByLabel('Type photos to confirm').fill('photos')
    costs.estimate = estimate({ price_fingerprint: 'b'.repeat(16), lock: String(700n * 10n ** 15n) })
    const sent: unknown[] = []
    page.on(
      'request',
      (request) => request.url().endsWith('/data-sets/1/replacement') && sent.push(request.postDataJSON().client_request_id),
    )
    await dialog.getByRole('button', { name: 'Replace', exact: true }).click()
    await dialog.getByText('The prices have changed').waitFor()
    await dialog.getByText('0.7 USDFC').waitFor()
    expect([svc.commands, await dialog.getByRole('checkbox').isChecked()]).toEqual([[], false])
    await accept(dialog)
    await dialog.getByRole('button', { name: 'Replace', exact: true }).click()
    await page.waitForURL('**/replacements/1')
    expect(sent).toEqual(Array(2).fill(svc.commands[0]?.clientRequestId))
    expect(costs.lists).toEqual(['a'.repeat(16), 'b'.repeat(16)])
  })

  test('an unfinished replacement of the replica is named before it is superseded', async () => {
    svc.records.set(3, replacement({ id: 3 }))
    await using watched = await openPage()
    const { page } = watched
    await open(page, wizard)
    await shown(page, 'A replacement of this replica is not finished').waitFor()
    await page.getByRole('link', { name: 'Replacement 3' }).click()
    await page.waitForURL('**/replacements/3')
  })

  test('a data set without uploads cannot be replaced', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/buckets/photos/replace/2')
    await shown(page, 'This data set cannot be replaced').waitFor()
  })

  test('waiting is shown calmly, with no share before all contents were found, and follows events', async () => {
    svc.records.set(1, replacement({ status: 'waiting', phase: 'migrate', waitReason: 'source', waitMessage: '3 contents have no source' }))
    svc.progresses.set(
      1,
      progress({ phase: 'migrate', byState: { pending: 8, waiting_source: 3, copied: 1 }, nextRetryAtMs: Date.now() + 90_000 }),
    )
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/replacements/1')
    await shown(page, 'Waiting for contents that neither the cache nor another provider has').waitFor()
    await shown(page, /3 contents have no source/).waitFor()
    await shown(page, '12 contents found so far, 1 copied').waitFor()
    await shown(page, /^The next retry is in /).waitFor()
    expect(await page.locator('#main').getByText('%').count()).toBe(0)
    expect(await page.locator('#main .text-danger').count()).toBe(0)
    expect(await page.locator('#main').getByRole('alert').count()).toBe(0)
    expect(await button(page, 'Retry').count()).toBe(0)
    svc.records.set(1, replacement({ status: 'migrating', phase: 'migrate', takenOverAtMs: 1000 }))
    svc.progresses.set(
      1,
      progress({ phase: 'migrate', isSeeded: true, percent: 75, byState: { active: 3, copied: 8, no_longer_needed: 1 } }),
    )
    svc.change(1)
    await shown(page, '9 of 12 contents').waitFor()
    await shown(page, /^75(\.0)?\s?%$/).waitFor()
    await shown(page, '1 content was deleted before it had to move.').waitFor()
    await shown(page, 'In progress: 3').waitFor()
  })

  test('a failed one is retried after a review; a refusal stays in the dialog', async () => {
    svc.records.set(1, replacement({ status: 'failed', phase: 'migrate', lastError: '<img src=x onerror="window.hit=1"> no answer' }))
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/replacements/1')
    await shown(page, '<img src=x onerror="window.hit=1"> no answer').waitFor()
    expect(await page.locator('#main img').count()).toBe(0)
    await button(page, 'Retry').click()
    const dialog = page.getByRole('dialog', { name: 'Retry this replacement?' })
    svc.refusal = replacementErrors.replacement_task_running()
    await dialog.getByRole('button', { name: 'Retry' }).click()
    await dialog.getByText('The task of the replacement is still running. Try again in a moment.').waitFor()
    svc.refusal = undefined
    await dialog.getByRole('button', { name: 'Retry' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await shown(page, 'Uploads go to the new provider, and the contents are being copied to it.').waitFor()
    expect(await page.evaluate('window.hit')).toBeUndefined()
  })

  test('a target that is in use cannot be retried, and another provider is offered', async () => {
    svc.records.set(
      1,
      replacement({ status: 'failed', lastError: 'provider 8 serves the bucket with data set 12', failureReason: 'target_in_use' }),
    )
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/replacements/1')
    expect(await button(page, 'Retry').getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('link', { name: 'Choose another provider' }).click()
    await page.waitForURL(`**${wizard}`)
  })

  test('the list is filtered by status and paged, and the address keeps both', async () => {
    for (let id = 1; id <= 60; id++) svc.records.set(id, replacement({ id, status: id === 7 ? 'failed' : 'completed', phase: 'none' }))
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/replacements')
    await shown(page, '50 replacements on this page').waitFor()
    await button(page, 'Next').click()
    await shown(page, '10 replacements on this page').waitFor()
    await page.getByRole('combobox', { name: 'Status' }).selectOption('failed')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await page.reload()
    await page.getByRole('link', { name: '#7 replica 1' }).click()
    await page.waitForURL('**/replacements/7')
  })

  test.each(widths)('every page is accessible in both themes at %i px', async (width) => {
    svc.records.set(1, replacement({ status: 'completed', phase: 'none', finishedAtMs: 1000, terminationEpoch: '1234' }))
    svc.records.set(
      2,
      replacement({ id: 2, status: 'cleanup_attention', phase: 'retire', lastError: 'The account has a debt of 0.4 USDFC.' }),
    )
    svc.records.set(
      3,
      replacement({ id: 3, status: 'waiting', phase: 'migrate', waitReason: 'funding', waitMessage: 'the account lacks 0.2 USDFC' }),
    )
    svc.progresses.set(
      3,
      progress({ phase: 'migrate', isSeeded: true, percent: 40, byState: { copied: 4, pending: 4, active: 1, attention: 1 } }),
    )
    await using watched = await openPage({ width })
    const { page } = watched
    const look = async (name: string) => expect([name, await findFlaws(page, `replacement-${name}`)]).toEqual([name, []])
    await open(page, '/replacements')
    await shown(page, 'Waiting for a deposit').or(shown(page, 'Completed')).first().waitFor()
    await look('list')
    for (const [id, text] of [
      [1, 'The replica is at the new provider, and the old service has ended.'],
      [2, 'The account has a debt of 0.4 USDFC.'],
      [3, 'the account lacks 0.2 USDFC'],
    ] as const) {
      await page.goto(`${svc.url}/replacements/${id}`)
      await shown(page, text).waitFor()
      await look(`one-${id}`)
    }
    await page.goto(`${svc.url}/buckets/photos?tab=replacements`)
    await page.getByRole('row').filter({ hasText: '#3' }).waitFor()
    await look('bucket-tab')
    await page.goto(`${svc.url}${wizard}`)
    await shown(page, 'A replacement of this replica is not finished').waitFor()
    await look('why')
    await button(page, 'Continue').click()
    await page.getByRole('radio', { name: /^I choose/ }).check()
    await page.getByRole('radio', { name: /^Fresh Storage/ }).check()
    await look('who')
    await button(page, 'Continue').click()
    await shown(page, '0.62 USDFC').waitFor()
    await look('review')
    await button(page, 'Replace the provider').click()
    await dialogOf(page).getByRole('checkbox').waitFor()
    await look('confirm')
  })
})
