import { database, defineRoutes, formatTime, serveEndpoint } from '#kernel'
import { auditPageSizes, listAudit } from './audit-api.ts'
import { auditKeeper } from './audit-keeper.ts'
import { type KeptLine, pageOfLines } from './audit-store.ts'

export const auditRoutes = defineRoutes({
  name: 'audit',
  uses: { database, auditKeeper },
  endpoints: [listAudit],
  register(app, { database, auditKeeper }) {
    serveEndpoint(app, listAudit, async ({ query }) => {
      const { limit = auditPageSizes.usual, from, to, cursor, ...filter } = query
      // The page shows the lines of everything that was answered before it was asked for.
      await auditKeeper.settled()
      const found = await pageOfLines(database.read, {
        ...filter,
        fromMs: from ?? 0,
        toMs: to ?? Number.MAX_SAFE_INTEGER,
        before: cursor ?? Number.MAX_SAFE_INTEGER,
        limit: limit + 1,
      })
      const page = found.slice(0, limit)
      const last = page.at(-1)
      return { lines: page.map(describe), ...(found.length > limit && last && { next_cursor: last.id }) }
    })
  },
})

const describe = ({ at, who, method, route, status, subject, ...line }: KeptLine) => ({
  ...line,
  at: formatTime(at),
  ...(who !== null && { who }),
  ...(method !== null && { method }),
  ...(route !== null && { route }),
  ...(status !== null && { status }),
  subject: JSON.parse(subject) as Record<string, string | number | boolean>,
})
