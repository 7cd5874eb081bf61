import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import { estimateCost, refreshCost } from '../../plugins/costs/api.ts'
import { listOperations, readWallet } from '../../plugins/wallet/api.ts'
import { answerOf } from '../fixtures/admin-answers.ts'
import { type FundedDevnet, startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import { startLyingNode } from '../fixtures/lying-node.ts'
import { until } from '../fixtures/until.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'
import { findBarriers, findFlaws, findOverflow, takePicture, widths } from './fixtures/inspect.ts'

const usdfc = 10n ** 18n
const bucket = 'photos'
/** Fee of a data set in the devnet's price list, which answers of the chain have as a word. */
const createFee = 25n * 10n ** 15n
const word = (amount: bigint) => amount.toString(16).padStart(64, '0')

const stack = new AsyncDisposableStack()
const prices = { areDearer: false }
const setDearer = (areDearer: boolean) => {
  prices.areDearer = areDearer
}
let network: FundedDevnet
let svc: Gateway

beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  network = stack.use(await startFundedDevnet({ providers: 2 }))
  const node = stack.use(
    await startLyingNode(network.devnet.rpcUrl, {
      result: ({ method }, result) =>
        prices.areDearer && method === 'eth_call' && typeof result === 'string'
          ? result.replaceAll(word(createFee), word(2n * createFee))
          : undefined,
    }),
  )
  const { devnet, privateKey } = network
  svc = stack.use(await startGatewayHere({ dir: network.makeDir('gateway'), devnet, privateKey, settings: { 'chain.rpc_url': node.url } }))
  await store(svc)
})
afterAll(() => stack.disposeAsync())

/** One object with two copies, and costs that were read after them. */
async function store({ call }: Gateway): Promise<void> {
  await call('POST', '/api/v1/buckets', { json: { name: bucket, owner_access_key: '__internal_root__', default_copies: 2 } })
  await call('POST', `/api/v1/buckets/${bucket}/objects/upload?key=a`, { body: Buffer.alloc(5000, 1) })
  await until('costs of two data sets', async () => {
    const cost = answerOf(refreshCost, await call('POST', '/api/v1/cost/refresh'))
    return cost.buckets[0]?.data_sets === 2 && cost.rate?.per_epoch !== '0' ? cost : undefined
  })
}

const open = async (page: Page, path: string, gateway = svc) => {
  await signIn(page, { base_url: gateway.adminUrl, admin: testOperator }, path)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
}
const wallet = async () => answerOf(readWallet, await svc.call('GET', '/api/v1/wallet'))
const deposited = async () => BigInt((await wallet()).payment_account?.funds ?? 0)
const operations = async () => answerOf(listOperations, await svc.call('GET', '/api/v1/wallet/operations?limit=100')).operations
const costs = async () => answerOf(refreshCost, await svc.call('POST', '/api/v1/cost/refresh'))
/** The row of an operation, by its id. */
const rowOf = (page: Page, type: string, id: number) => page.getByRole('row').filter({ hasText: `${type} #${id}` })
const price = (page: Page) => page.getByRole('region', { name: 'Price', exact: true })
const newest = async () => (await operations())[0]?.id ?? 0

/** Base units of an exact amount in a title. */
function unitsOf(title: string | null | undefined): string {
  const [whole = '0', fraction = ''] = (title ?? '').replace(' USDFC', '').replaceAll(',', '').split('.')
  return String(BigInt(whole) * usdfc + BigInt(fraction.padEnd(18, '0')))
}

/** Ids and amounts that the page sends to an endpoint of payments. */
function watchPayments(page: Page, type: string) {
  const sent: { readonly id: string; readonly amount: string }[] = []
  page.on('request', (request) => {
    if (!request.url().endsWith(`/api/v1/wallet/${type}`)) return
    const { client_request_id, amount } = request.postDataJSON()
    sent.push({ id: client_request_id, amount })
  })
  return sent
}

// A busy machine needs most of its time for the rules of axe.
describe.runIf(hasBrowser)('the pages of wallet and costs', { timeout: 240_000 }, () => {
  test('the wallet shows its runway first, then balances, approval and identity as the API has them', async () => {
    const { payment_account: account, identity } = await wallet()
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/wallet')
    const runway = page.getByRole('region', { name: 'The deposit lasts' })
    await runway.getByText(`${Number(account?.runway_days).toLocaleString('en-US')} days`, { exact: true }).waitFor()
    await runway.getByText(`until ${account?.funded_until_time?.slice(0, 10)}`).waitFor()
    const balances = page.getByRole('region', { name: 'Balances' })
    const shown = await balances.getByTitle(/ USDFC$/).evaluateAll((all) => all.map((one) => one.getAttribute('title')))
    expect(unitsOf(shown[1])).toBe(account?.funds)
    await page.getByRole('region', { name: 'Approval' }).getByText('Approved', { exact: true }).waitFor()
    await page
      .getByRole('region', { name: 'Identity' })
      .getByTitle(identity?.address ?? '')
      .waitFor()
    await page.getByRole('region', { name: 'Spending' }).getByText(bucket).waitFor()
  })

  test.each([
    [29, 'The deposit lasts 29 days only'],
    [6, 'The deposit lasts 6 days only'],
    [0, 'The deposit is used up'],
  ])('a deposit that lasts %i days is warned of, with the amount for 90 days as the next step', async (days, title) => {
    const shown = await wallet()
    const perDay = 10n ** 18n
    await using watched = await openPage()
    const { page } = watched
    await page.route('**/api/v1/wallet', (route) =>
      route.fulfill({
        json: {
          ...shown,
          payment_account: {
            ...shown.payment_account,
            available_funds: String(BigInt(days) * perDay),
            lockup_rate_per_day: String(perDay),
            deposit_for_90_days: String(90n * perDay),
            runway_seconds: days * 86_400,
            runway_days: days,
            no_active_spend: false,
          },
        },
      }),
    )
    await open(page, '/wallet')
    await page.getByText(title, { exact: true }).waitFor()
    expect(await findBarriers(page)).toEqual([])
    await takePicture(page, `wallet-short-${days}`)
    await page.getByRole('button', { name: 'Deposit for 90 days' }).click()
    const amount = page.getByRole('dialog', { name: 'Fund the deposit' }).getByLabel('Amount in USDFC')
    await expect.poll(() => amount.inputValue()).toBe(String(90 - days))
  })

  test('a service without a wallet says what to set, and parts that could not be read are named', async () => {
    const shown = await wallet()
    await using watched = await openPage({ width: 390 })
    const { page } = watched
    let answer: object = { configured: false }
    await page.route('**/api/v1/wallet', (route) => route.fulfill({ json: answer }))
    await open(page, '/wallet')
    await page.getByText('No wallet is configured').waitFor()
    expect(await page.getByRole('button', { name: 'Fund', exact: true }).count()).toBe(0)
    answer = {
      ...shown,
      wallet_balances: { fil_gas: null, usdfc: null },
      payment_account: null,
      partial_errors: { usdfc_account: 'timeout', fil_gas_balance: 'RPC failure' },
    }
    await page.reload()
    await page.getByText('Payment account: timeout; FIL balance: RPC failure.').waitFor()
    await page.getByText('Not known', { exact: true }).first().waitFor()
    expect([await findBarriers(page), await findOverflow(page)]).toEqual([[], 0])
  })

  test('a deposit shows its price, is sent once however often it is clicked, and its row becomes confirmed by itself', async () => {
    const [before, last] = [await deposited(), await newest()]
    await using watched = await openPage()
    const { page } = watched
    const sent = watchPayments(page, 'fund')
    await open(page, '/wallet')
    await page.getByRole('button', { name: 'Fund', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Fund the deposit' })
    await dialog.getByLabel('Amount in USDFC').fill('1.5e3')
    await dialog.getByText('Type an amount such as 12.5.').waitFor()
    await dialog.getByLabel('Amount in USDFC').fill('12.5')
    await price(page).getByText('No storage fee').waitFor()
    await dialog.getByRole('button', { name: 'Deposit' }).dblclick()
    await dialog.waitFor({ state: 'detached' })
    await rowOf(page, 'Deposit', last + 1)
      .getByText('Confirmed', { exact: true })
      .waitFor()
    expect(sent).toEqual([{ id: expect.stringMatching(/^[0-9a-f]{32}$/), amount: '12500000000000000000' }])
    expect(await deposited()).toBe(before + 125n * 10n ** 17n)
  })

  test('prices that change before the click are shown again; the repeat keeps amount and id and is one deposit', async () => {
    const last = await newest()
    await using watched = await openPage()
    await using _cheap = { [Symbol.asyncDispose]: async () => setDearer(false) }
    const { page } = watched
    const sent = watchPayments(page, 'fund')
    await open(page, '/wallet?do=fund')
    const dialog = page.getByRole('dialog', { name: 'Fund the deposit' })
    await dialog.getByLabel('Amount in USDFC').fill('2')
    await price(page).getByText('No storage fee').waitFor()
    setDearer(true)
    await dialog.getByRole('button', { name: 'Deposit' }).click()
    await dialog.getByText('The prices have changed').waitFor()
    expect(await newest()).toBe(last)
    expect(await dialog.getByLabel('Amount in USDFC').inputValue()).toBe('2')
    await dialog.getByRole('button', { name: 'Deposit' }).click()
    await dialog.waitFor({ state: 'detached' })
    await rowOf(page, 'Deposit', last + 1).waitFor()
    expect(sent).toEqual([sent[0], sent[0]])
    expect(await newest()).toBe(last + 1)
  })

  test('a deposit whose answer is lost is sent again with the same id and amount, and is one operation', async () => {
    const last = await newest()
    await using watched = await openPage()
    const { page } = watched
    const sent = watchPayments(page, 'fund')
    let lost = 0
    await page.route('**/api/v1/wallet/fund', async (route) => {
      if (lost++ > 0) return route.continue()
      await route.fetch()
      return route.abort()
    })
    await open(page, '/wallet?do=fund')
    const dialog = page.getByRole('dialog', { name: 'Fund the deposit' })
    await dialog.getByLabel('Amount in USDFC').fill('3')
    await price(page).getByText('No storage fee').waitFor()
    await dialog.getByRole('button', { name: 'Deposit' }).click()
    await dialog.getByText('The request may have arrived').waitFor()
    expect(await dialog.getByLabel('Amount in USDFC').isEditable()).toBe(false)
    await dialog.getByRole('button', { name: 'Deposit' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(sent).toEqual([sent[0], sent[0]])
    expect(await newest()).toBe(last + 1)
    // Another opening is another payment.
    await page.getByRole('button', { name: 'Fund', exact: true }).click()
    await dialog.getByLabel('Amount in USDFC').fill('3')
    await price(page).getByText('No storage fee').waitFor()
    await dialog.getByRole('button', { name: 'Deposit' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await newest()).toBe(last + 2)
    expect(sent[2]?.id).not.toBe(sent[0]?.id)
  })

  test('a withdrawal of everything warns how short the rest lasts; a smaller one arrives in the wallet', async () => {
    await until('no open operation', async () => (await operations()).every(({ status }) => status === 'confirmed') || undefined)
    const [before, last] = [await deposited(), await newest()]
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/wallet?do=withdraw')
    const dialog = page.getByRole('dialog', { name: 'Withdraw from the deposit' })
    await dialog.getByRole('button', { name: 'Max' }).click()
    await dialog.getByText(/^The rest lasts/).waitFor()
    await dialog.getByLabel('Amount in USDFC').fill('7')
    await dialog.getByText(/^The rest lasts/).waitFor({ state: 'detached' })
    await price(page).getByText('No storage fee').waitFor()
    await dialog.getByRole('button', { name: 'Withdraw', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await rowOf(page, 'Withdrawal', last + 1)
      .getByText('Confirmed', { exact: true })
      .waitFor()
    expect(await deposited()).toBe(before - 7n * usdfc)
  })

  test('an approval that is in place ends confirmed without a transaction', async () => {
    const last = await newest()
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/wallet?do=approve')
    const dialog = page.getByRole('dialog', { name: 'Approve the storage service' })
    await price(page).getByText('No storage fee').waitFor()
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await rowOf(page, 'Approval', last + 1)
      .getByText('Confirmed', { exact: true })
      .waitFor()
  })

  test('the rows of the cost page add up to the account, and the receipt is downloaded', async () => {
    const { rate } = await costs()
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/costs')
    const sums = page.getByLabel('Sum of all rows')
    await sums.waitFor()
    const titles = await sums.getByTitle(/ USDFC$/).evaluateAll((all) => all.map((one) => one.getAttribute('title') ?? ''))
    expect(titles.map(unitsOf).slice(0, 2)).toEqual([rate?.per_month, rate?.per_day])
    const saved = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download CSV' }).click()
    expect((await saved).suggestedFilename()).toMatch(/^receipt-\d{4}-\d{2}\.csv$/)
  })

  test('an upload is estimated from its form, and a nonsensical size is refused in its field', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/costs')
    const card = page.getByRole('region', { name: 'Estimate a price' })
    await card.getByRole('textbox', { name: 'Objects' }).fill('1000')
    await card.getByText('Fee at most').waitFor()
    await card.getByLabel('Size of each').fill('lots')
    await card.getByText('A whole number').waitFor()
    await price(page).waitFor({ state: 'detached' })
    await card.getByRole('radio', { name: /A new bucket/ }).check()
    await card.getByText('Fee, once').waitFor()
  })

  test('a new bucket and more copies show their price, and a change of the prices asks again with all inputs', async () => {
    await using watched = await openPage()
    await using _cheap = { [Symbol.asyncDispose]: async () => setDearer(false) }
    const { page } = watched
    await open(page, '/buckets?create=1')
    const dialog = page.getByRole('dialog', { name: 'Create a bucket' })
    await dialog.getByLabel('Name', { exact: false }).first().fill('priced')
    await dialog.getByLabel('Owner').selectOption('__internal_root__')
    await price(page).getByText('Fee, once').waitFor()
    setDearer(true)
    await dialog.getByRole('button', { name: 'Create bucket' }).click()
    await dialog.getByText('The prices have changed').waitFor()
    await dialog.getByText('before:').first().waitFor({ state: 'attached' })
    expect((await svc.call('GET', '/api/v1/buckets/priced')).status).toBe(404)
    await dialog.getByRole('button', { name: 'Create bucket' }).click()
    await page.getByRole('heading', { name: 'priced', level: 1 }).waitFor()
    await page.locator('#main').getByRole('button', { name: 'Details' }).click()
    const sheet = page.getByRole('dialog', { name: 'priced' })
    await sheet.getByRole('button', { name: 'One more' }).first().click()
    await sheet.getByRole('button', { name: 'Save policy' }).click()
    const review = page.getByRole('dialog', { name: 'Change the copy policy of priced' })
    await review.getByText('Fee, once').waitFor()
    await review.getByRole('button', { name: 'Save policy' }).click()
    await page.getByText('Copy policy of priced saved').waitFor()
  })

  test('chosen files show what their copies cost before they are sent', async () => {
    await using watched = await openPage()
    const { page } = watched
    await open(page, `/buckets/${bucket}`)
    const file = (name: string, bytes: number) => ({ name, mimeType: 'text/plain', buffer: Buffer.alloc(bytes, 7) })
    await page.getByLabel('Files to upload').setInputFiles([file('one', 2000), file('two', 4000)])
    const dialog = page.getByRole('dialog', { name: `Upload 2 files into ${bucket}` })
    await price(page).getByText('Fee, once').waitFor()
    const asked = { kind: 'upload', bucket, objects: 2, bytes: 3000 }
    const { fee } = answerOf(estimateCost, await svc.call('POST', '/api/v1/cost/estimate', { json: asked }))
    const [shown] = await price(page)
      .getByTitle(/ USDFC$/)
      .evaluateAll((all) => all.map((one) => one.getAttribute('title')))
    expect(unitsOf(shown)).toBe(fee)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  })

  test('without the plugin costs the page is off, and a deposit shows the runway and needs no price', async () => {
    const { devnet, makeDir } = network
    const { privateKey } = await devnet.createWallet()
    await using gateway = await startGatewayHere({
      dir: makeDir('without-costs'),
      devnet,
      privateKey,
      settings: { 'plugins.disabled': ['costs'] },
    })
    await using watched = await openPage()
    const { page } = watched
    await open(page, '/wallet?do=fund', gateway)
    const dialog = page.getByRole('dialog', { name: 'Fund the deposit' })
    await dialog.getByLabel('Amount in USDFC').fill('4')
    await dialog.getByRole('cell', { name: 'Nothing is spent' }).first().waitFor()
    expect(await price(page).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Deposit' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('row').filter({ hasText: 'Deposit #' }).getByText('Confirmed', { exact: true }).waitFor()
    expect(await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Costs' }).count()).toBe(0)
    await page.goto(`${gateway.adminUrl}/costs`)
    await page.getByRole('heading', { name: 'Costs: this feature is off', level: 1 }).waitFor()
  })

  test.each(widths)('pages, tabs and dialogs with money are accessible in both themes at %i px', async (width) => {
    await using watched = await openPage({ width })
    const { page } = watched
    await open(page, '/wallet')
    for (const [name, path] of [
      ['wallet-money', '/wallet'],
      ['costs-money', '/costs'],
      ['bucket-cost', `/buckets/${bucket}?tab=cost`],
      ['overview-money', '/'],
    ] as const) {
      await page.goto(`${svc.adminUrl}${path}`)
      await page.getByText(/USDFC/).first().waitFor()
      await page.locator('.kit-pulse').first().waitFor({ state: 'detached' })
      expect([name, await findFlaws(page, name)]).toEqual([name, []])
    }
    for (const what of ['fund', 'withdraw', 'approve']) {
      await page.goto(`${svc.adminUrl}/wallet?do=${what}`)
      const dialog = page.getByRole('dialog')
      if (what !== 'approve') await dialog.getByRole('button', { name: 'Max' }).click()
      await price(page).getByText('No storage fee').waitFor()
      expect([what, await findFlaws(page, `dialog-${what}`)]).toEqual([what, []])
    }
  })
})
