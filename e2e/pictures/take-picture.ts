/** WebP files of pages, as Chromium encodes them. */
import { writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { openPage, signIn } from '../ui/fixtures/browser.ts'
import type { Picture } from './pictures.ts'

interface Signed {
  readonly base_url: string
  readonly admin: { readonly username: string; readonly password: string }
}

const quality = 75
/** A loaded page that has not changed for a while; the overview of a gateway that works never stands still for long. */
const quietMs = 600
const changingMs = 6000
const settled = `new Promise((resolve) => {
  const end = () => { observer.disconnect(); resolve() }
  let quiet = setTimeout(end, ${quietMs})
  const observer = new MutationObserver(() => { clearTimeout(quiet); quiet = setTimeout(end, ${quietMs}) })
  observer.observe(document, { subtree: true, childList: true, attributes: true })
  setTimeout(end, ${changingMs})
})`

/** Returns the length of the file. */
export async function takePicture(signed: Signed, { theme = 'light', isPhone, path, prepare }: Picture, file: string): Promise<number> {
  const size = isPhone ? { width: 390, height: 844 } : { width: 1440, height: 900 }
  await using watched = await openPage({ theme, width: size.width, viewport: size, deviceScaleFactor: isPhone ? 1.5 : 1 })
  const { page } = watched
  await signIn(page, signed, path)
  await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
  await prepare?.(page)
  // No element is hovered.
  await page.mouse.move(0, 0)
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  await page.evaluate(settled)
  const bytes = await capture(page)
  await writeFile(file, bytes)
  return bytes.length
}

/** Playwright's own pictures are PNG or JPEG. */
async function capture(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality })
  return Buffer.from(data, 'base64')
}
