/** What generated pages show of replacements. */
export { replacementEvents } from './states/replacement-transitions-policy.ts'
