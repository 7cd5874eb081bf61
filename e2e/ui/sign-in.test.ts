/** The dashboard before the sign-in, and when it ends, in a real browser; no chain is needed. */
import { readFileSync } from 'node:fs'
import type { Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testOperator } from '#kernel/testing'
import { codeOf } from '../../plugins/access/testing/authenticator.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { createAdvancingClock, startServeHere } from '../fixtures/gateways/serve-here.ts'
import { buildDashboard, hasBrowser, openPage, signIn } from './fixtures/browser.ts'
import { findBarriers, takePicture } from './fixtures/inspect.ts'

const stack = new AsyncDisposableStack()
let full: Gateway
let setup: Gateway
beforeAll(async () => {
  if (!hasBrowser) return
  await buildDashboard()
  full = stack.use(await startServeHere())
  setup = stack.use(await startServeHere({ settings: { 'chain.private_key': '' } }))
})
afterAll(() => stack.disposeAsync())

const ready = ({ adminUrl }: Gateway) => ({ base_url: adminUrl, admin: testOperator })
const isData = (response: Response) => new URL(response.url()).pathname.startsWith('/api/')

describe.runIf(hasBrowser)('the dashboard on the Admin listener', () => {
  test.each(['full', 'setup'] as const)(
    'in %s mode the page and its files load before the sign-in, from this listener alone, and may be kept',
    async (mode) => {
      const { adminUrl } = { full, setup }[mode]
      await using watched = await openPage()
      const { page } = watched
      const responses: Response[] = []
      page.on('response', (response) => void responses.push(response))
      await page.goto(adminUrl)
      await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
      expect(await page.context().cookies()).toEqual([])
      const files = responses.filter((response) => !isData(response) && !response.url().endsWith('/healthz'))
      for (const type of ['document', 'script', 'stylesheet']) {
        expect([type, files.some((file) => file.request().resourceType() === type)]).toEqual([type, true])
      }
      for (const file of files) {
        expect([file.url(), file.status(), file.headers()['cache-control']]).toEqual([
          expect.stringMatching(`^${adminUrl}/`),
          200,
          expect.not.stringContaining('no-store'),
        ])
      }
      for (const data of responses.filter(isData)) {
        // Which ways to sign in there are is for everyone.
        const status = data.url().endsWith('/auth/methods') ? 200 : 401
        expect([data.url(), data.status(), data.headers()['cache-control']]).toEqual([data.url(), status, 'no-store'])
      }
    },
  )

  test('after a sign-out the sign-in page is shown, at every address and after a reload', async () => {
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, ready(full), '/buckets')
    await page.getByRole('button', { name: /Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    for (const path of ['/', '/buckets']) {
      await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
      expect(await page.locator('#main').count()).toBe(0)
      await page.goto(`${full.adminUrl}${path}`)
    }
  })

  test('after a 401 of any request the sign-in is in front of the page, which takes no input, and a reload has it alone', async () => {
    await using watched = await openPage()
    const { page } = watched
    await signIn(page, ready(full), '/buckets')
    await page.getByRole('heading', { name: 'Buckets', level: 1 }).waitFor()
    await page.context().clearCookies()
    const refused = page.waitForResponse((response) => isData(response) && response.status() === 401)
    await page.keyboard.press('r')
    await refused
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
    expect(
      await page.evaluate('document.elementFromPoint(5, 5).closest("dialog, #main, nav") === document.querySelector("dialog:modal")'),
    ).toBe(true)
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
    expect(await page.locator('#main').count()).toBe(0)
  })

  test('the second factor is turned on with a picture to scan, asked for at the sign-in, and turned off', async () => {
    const clock = createAdvancingClock()
    await using svc = await startServeHere({ clock })
    await using watched = await openPage()
    const { page } = watched
    const dialog = page.locator('dialog[open]').last()
    const card = page.getByRole('region', { name: 'Second factor of the local admin' })
    await signIn(page, ready(svc), '/sessions')
    await card.getByRole('button', { name: 'Turn on' }).click()
    await dialog.getByLabel('Password of the local admin').fill('wrong')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByText('The password of the local admin is wrong.').waitFor()
    await dialog.getByLabel('Password of the local admin').fill(testOperator.password)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    // A version 5 code or larger: 37 modules at least, and 8 of the empty edge.
    await expect
      .poll(async () => Number((await dialog.getByRole('img', { name: 'QR code of the secret' }).getAttribute('viewBox'))?.split(' ')[2]))
      .toBeGreaterThanOrEqual(45)
    expect(await findBarriers(page)).toEqual([])
    await takePicture(page, 'second-factor-scan')
    const secret = /[A-Z2-7]{32}/.exec(await dialog.innerText())?.[0] ?? ''
    const code = () => codeOf(secret, clock.now())
    await dialog.getByLabel('Code of the app').fill(code() === '000000' ? '000001' : '000000')
    await dialog.getByRole('button', { name: 'Turn on' }).click()
    await dialog.getByText('The code is wrong, was used, or is too old.').waitFor()
    await dialog.getByLabel('Code of the app').fill(code())
    await dialog.getByRole('button', { name: 'Turn on' }).click()
    const codes = dialog.getByRole('region', { name: 'Recovery codes' }).getByRole('listitem')
    await codes.nth(9).waitFor()
    const shown = await codes.allInnerTexts()
    const saved = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Download as a text file' }).click()
    const file = readFileSync(await (await saved).path(), 'utf8')
    expect(shown.filter((one) => !file.includes(one))).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'They are stored, close' }).click()
    await card.getByText('10 recovery codes left').waitFor()
    await expect.poll(() => page.content()).not.toContain(shown[0])
    await page.getByRole('button', { name: /Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    const signInWith = async (text: string) => {
      await page.getByLabel('Password').fill(testOperator.password)
      await page.getByLabel('Code', { exact: true }).fill(text)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    await signInWith('123')
    await page.getByText('The user name, the code or the password is wrong.').waitFor()
    clock.advance(30_000)
    await signInWith(code())
    await card.getByRole('button', { name: 'Turn off' }).click()
    await dialog.getByLabel('Code of the app, or a recovery code').fill(shown[3] ?? '')
    await dialog.getByRole('button', { name: 'Turn off' }).click()
    await card.getByRole('button', { name: 'Turn on' }).waitFor()
  })
})
