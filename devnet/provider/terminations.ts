// Sends a payer's signed termination of a data set.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { encodeFunctionData } from 'viem'
import { warmStorageAbi } from '../chain/abis.ts'
import type { ProviderContext } from './context.ts'
import { readTermination } from './data-set-requests.ts'
import { requireDataSet } from './data-sets.ts'
import { named, type RouteGroup, readJson } from './http-server.ts'
import { refusal } from './refusal.ts'

type SetRequest = FastifyRequest<{ Params: { id: string } }>

export function terminationRoutes(context: ProviderContext): RouteGroup {
  const { terminations } = context.ledger.state
  return (app) => {
    app.post('/pdp/data-sets/:id/terminate', named('terminate'), async (request: SetRequest, reply) => {
      const dataSetId = await requireDataSet(context, request.params.id)
      const extraData = readTermination(await readJson(request))
      const endEpoch = await readEndEpoch(context, dataSetId)
      if (endEpoch > 0) return refuse(reply, { code: 0, message: 'already terminated', serviceTerminationEpoch: endEpoch })
      if (terminations[dataSetId]) return refuse(reply, { code: 1, message: 'termination queued', serviceTerminationEpoch: null })
      terminations[dataSetId] = { extraData }
      context.ledger.changed()
      return reply.code(202).send()
    })
    app.get('/pdp/data-sets/:id/terminate', named('terminate_status'), async (request: SetRequest, reply) => {
      const dataSetId = await requireDataSet(context, request.params.id)
      const record = terminations[dataSetId]
      if (!record) throw refusal(404, 'Termination not found')
      const isDone = record.endEpoch !== undefined
      return reply.send({
        terminationTxHash: record.hash ?? '',
        ...(isDone && { confirmedTxHash: record.hash }),
        fwssTerminated: isDone ? true : null,
        serviceTerminationEpoch: record.endEpoch ?? null,
      })
    })
  }
}

/** Sends queued terminations and records the outcome of sent ones. Curio drops a refused termination without an answer, and so does this. */
export async function relayTerminations(context: ProviderContext): Promise<void> {
  const { ledger, transactions, log } = context
  for (const [key, record] of Object.entries(ledger.state.terminations)) {
    const dataSetId = Number(key)
    if (record.endEpoch !== undefined) continue
    if (record.hash === undefined) {
      try {
        record.hash = await transactions.submit({
          kind: 'terminate',
          route: 'terminate',
          to: context.chain.contracts.warmStorage,
          data: encodeFunctionData({
            abi: warmStorageAbi,
            functionName: 'terminateService',
            args: [BigInt(dataSetId), record.extraData],
          }),
          dataSetId,
          extraData: record.extraData,
        })
      } catch (error) {
        // The client gets a 404 and may try again.
        log(`termination of data set ${dataSetId} dropped: ${error}`)
        delete ledger.state.terminations[key]
      }
      ledger.changed()
    } else {
      await recordOutcome(context, dataSetId)
    }
  }
}

async function recordOutcome(context: ProviderContext, dataSetId: number): Promise<void> {
  const { ledger, transactions } = context
  const record = ledger.state.terminations[dataSetId]
  const transaction = transactions.find(record?.hash ?? '', ['terminate'])
  if (!record || !transaction || transaction.status === 'pending') return
  if (transaction.status === 'confirmed' && transaction.ok) {
    if (!transaction.processed) return
    record.endEpoch = await readEndEpoch(context, dataSetId)
  } else {
    delete ledger.state.terminations[dataSetId]
  }
  ledger.changed()
}

async function readEndEpoch({ chain }: ProviderContext, dataSetId: number): Promise<number> {
  const info = await chain.reader.readContract({
    address: chain.contracts.warmStorage,
    abi: warmStorageAbi,
    functionName: 'getDataSet',
    args: [BigInt(dataSetId)],
  })
  return Number(info.pdpEndEpoch)
}

function refuse(reply: FastifyReply, body: { code: number; message: string; serviceTerminationEpoch: number | null }): FastifyReply {
  return reply.code(409).send(body)
}
