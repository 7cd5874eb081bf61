import { defineDoctorCheck, type Finding, type LookPage } from '#kernel/system'
import { packs } from '#plugins/storage'
import { comparePack } from './compare-pack.ts'
import { packsAfter, somePacks } from './compared-pack-store.ts'

/** Each has an index of a few megabytes. */
const packsPerPage = 4

export const packChecks = [
  defineDoctorCheck({
    name: 'packs.segments',
    title: 'Packs against their own index: header, footer, and the place and SHA-256 of each member',
    proves: ['I-31'],
    cost: 'whole',
    // Reads use the cache and the providers of the running gateway.
    needs: 'gateway',
    uses: { packs },
    async look({ packs }, { read, after = '0', sample, signal }): Promise<LookPage> {
      const limit = packsPerPage
      const found = sample === undefined ? await packsAfter(read, Number(after), limit) : await somePacks(read, Math.min(sample, limit))
      const findings: Finding[] = []
      for (const pack of found) {
        signal.throwIfAborted()
        findings.push(...(await comparePack({ packs, read }, pack)))
      }
      const last = sample === undefined && found.length === limit ? found.at(-1) : undefined
      return { findings, compared: found.length, ...(last && { next: String(last.id) }) }
    },
  }),
]
