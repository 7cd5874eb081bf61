import { listenAddress } from './listen-address.ts'
import { dataFolder, readFile } from './path-rule.ts'
import { matching, nonEmptyText } from './value-rule.ts'

/** What the text of a setting may be. */
export const textRules = { dataFolder, listenAddress, matching, nonEmpty: nonEmptyText, readFile } as const
