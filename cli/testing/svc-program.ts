import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const given = process.env.SVC_TEST_PROGRAM
if (given && !existsSync(given)) throw new Error(`SVC_TEST_PROGRAM names ${given}, which does not exist`)

/** True when SVC_TEST_PROGRAM names a program of an installed package: then tests start that program and run nothing of it in their process. */
export const isInstalledProgram = Boolean(given)

/** The `svc.js` that tests start. */
export const svcProgram: string = given ? resolve(given) : fileURLToPath(new URL('../svc.js', import.meta.url))
