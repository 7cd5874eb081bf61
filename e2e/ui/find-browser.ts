import { existsSync } from 'node:fs'
import chromium from '@sparticuz/chromium'

export interface FoundBrowser {
  readonly executablePath: string
  readonly args: readonly string[]
}

/** Debian's packages `chromium-headless-shell` and `chromium`, and a usual Chrome. */
const systemPaths = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome']
// The package's own list has --single-process, which ends with the first page, and --disable-web-security, which hides faults.
const args = ['--no-sandbox', '--no-zygote', '--disable-quic', '--disable-background-networking']

/** For the reason of a skipped test. */
export const browserAdvice =
  'no browser: install Debian’s chromium-headless-shell, set SVC_E2E_BROWSER to a Chromium, or install the libraries of @sparticuz/chromium (libnss3 libnspr4 libexpat1)'

/** SVC_E2E_BROWSER, then the system's browser, then that of the npm package, which is unpacked once. */
export async function findBrowser(env: NodeJS.ProcessEnv = process.env): Promise<FoundBrowser | undefined> {
  const named = env.SVC_E2E_BROWSER
  if (named !== undefined) return { executablePath: named, args }
  const installed = systemPaths.find((path) => existsSync(path))
  if (installed) return { executablePath: installed, args }
  try {
    return { executablePath: await chromium.executablePath(), args }
  } catch {
    // The package has no binary for this system.
    return undefined
  }
}
