/** Every statement of the specification in short form. One file per chapter. */
import { authentication } from './spec-rows/authentication.ts'
import { commands } from './spec-rows/commands.ts'
import { endpoints } from './spec-rows/endpoints.ts'
import { errors } from './spec-rows/errors.ts'
import { limits } from './spec-rows/limits.ts'
import { resources } from './spec-rows/resources.ts'
import { rules } from './spec-rows/rules.ts'
import { service } from './spec-rows/service.ts'
import { settings } from './spec-rows/settings.ts'
import { states } from './spec-rows/states.ts'

/** Row names by section of the coverage page, in page order. */
export const specRows: Readonly<Record<string, readonly string[]>> = {
  ...service,
  ...resources,
  ...settings,
  ...states,
  ...endpoints,
  ...rules,
  ...commands,
  ...authentication,
  ...errors,
  ...limits,
}

/** Parts of the product that are not built yet; rows name them as `later: <part>`. */
export const laterParts: readonly string[] = ['provider and data-set health', 'replacement', 'speed test', 'wallet']
