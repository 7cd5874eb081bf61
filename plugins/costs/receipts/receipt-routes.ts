import { Readable } from 'node:stream'
import { database, defineRoutes, serveEndpoint } from '#kernel'
import { buckets } from '#plugins/storage'
import { signer } from '#plugins/wallet'
import { costBook } from '../contract.ts'
import { costErrors } from '../errors.ts'
import { streamCsv } from './describe-receipt-policy.ts'
import { readReceipt } from './read-receipt.ts'
import { type Receipt, receiptLinesMax, showReceipt } from './receipt-api.ts'
import { paymentPages } from './receipt-line-store.ts'

export const receiptRoutes = defineRoutes({
  name: 'receipts',
  uses: { book: costBook, buckets, database, signer },
  endpoints: [showReceipt],
  register(app, { book, buckets, database, signer }) {
    serveEndpoint(app, showReceipt, async ({ query, reply }) => {
      const { month, format = 'json', after, limit = receiptLinesMax } = query
      if (!isMonth(month)) throw costErrors.invalid_month()
      const bucket = query.bucket === undefined ? undefined : buckets.require(query.bucket)
      const filter = { wallet: book.wallet, month, bucketId: bucket?.id }
      if (format === 'json') return readReceipt(database, { filter, payer: signer.address, bucket, after, limit })
      const name = `receipt-${month}${bucket ? `-${bucket.name}` : ''}.csv`
      reply.header('content-type', 'text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${name}"`)
      return Readable.from(streamCsv(month, paymentPages(database.read, filter))) as unknown as Receipt
    })
  },
})

const isMonth = (text: string): boolean => /^\d{4}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}-01T00:00:00Z`))
