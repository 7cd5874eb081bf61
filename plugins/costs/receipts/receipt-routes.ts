import { database, defineRoutes, serveEndpoint } from '#kernel'
import { buckets } from '#plugins/storage'
import { signer } from '#plugins/wallet'
import { allRails } from '../book/book-store.ts'
import { costBook } from '../contract.ts'
import { costErrors } from '../errors.ts'
import { describeReceipt, toCsv } from './describe-receipt-policy.ts'
import { type Receipt, showReceipt } from './receipt-api.ts'
import { findFollowedMonth, hasLaterMonth, paymentsOfMonth } from './receipt-store.ts'

export const receiptRoutes = defineRoutes({
  name: 'receipts',
  uses: { book: costBook, buckets, database, signer },
  endpoints: [showReceipt],
  register(app, { book, buckets, database, signer }) {
    serveEndpoint(app, showReceipt, async ({ query, reply }) => {
      const { month, format = 'json' } = query
      if (!isMonth(month)) throw costErrors.invalid_month()
      const bucket = query.bucket === undefined ? undefined : buckets.require(query.bucket)
      const receipt = describeReceipt({
        month,
        payer: signer.address,
        bucket,
        payments: await paymentsOfMonth(database.read, book.wallet, month),
        rails: await allRails(database.read, book.wallet),
        followed: await findFollowedMonth(database.read, book.wallet, month),
        isOver: await hasLaterMonth(database.read, book.wallet, month),
      })
      if (format === 'json') return receipt
      const name = `receipt-${month}${bucket ? `-${bucket.name}` : ''}.csv`
      reply.header('content-type', 'text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${name}"`)
      return toCsv(receipt) as unknown as Receipt
    })
  },
})

const isMonth = (text: string): boolean => /^\d{4}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}-01T00:00:00Z`))
