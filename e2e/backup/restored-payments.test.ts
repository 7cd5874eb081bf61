/** A gateway that is restored from a backup older than the chain pays for nothing that the chain has. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { svcHome } from '../../cli/testing/run-svc.ts'
import { checkDatabase } from '../fixtures/check-database.ts'
import { startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { startGateway, startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import { sha256 } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import { findDuplicateAdds, findWrongCopies, waitForCopies } from '../fixtures/verify-copies.ts'

const bucket = 'restored'
const copies = 2

test('I-05: copies that were stored after the backup are committed again without another payment; later objects are stored', {
  timeout: 240_000,
}, async () => {
  await using network = await startFundedDevnet({ providers: 2 })
  using home = svcHome()
  const { devnet, privateKey } = network
  const dir = network.makeDir('gateway')
  const versions: { key: string; versionId: string; bytes: Buffer }[] = []
  const additions = () =>
    devnet
      .addPiecesTransactions()
      .filter(({ ok }) => ok === true)
      .flatMap(({ pieceCids }) => pieceCids).length
  const user = await (async () => {
    // A process of its own, because the backup opens its database.
    await using gateway = await startGateway({ dir, devnet, privateKey })
    const user = await gateway.createUser()
    const s3 = gateway.connect(user)
    const made = await gateway.call('POST', '/api/v1/buckets', {
      json: { name: bucket, owner_access_key: user.access_key, default_copies: copies, minimum_durable_copies: 1 },
    })
    expect(made.status).toBe(201)
    const put = async (key: string) => {
      const bytes = randomBytes(20_000)
      const { VersionId: versionId = '' } = await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }))
      versions.push({ key, versionId, bytes })
      return { bucket, versionId }
    }
    await waitForCopies(gateway, await put('before'), { copies })
    const stored = await put('during')
    // A batch waits for more pieces, so its copies are not on chain yet.
    const { code, stdout, stderr } = await home.run(['backup', join(home.dir, 'backup'), '--config', gateway.configPath, '--with-secrets'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    // The bytes of the first object are at its providers.
    expect(stdout).toContain('files: 1, 19.53 KiB')
    expect(stdout).toContain('Only at providers: 1 contents, 19.53 KiB')
    await waitForCopies(gateway, stored, { copies })
    await gateway.stop()
    return user
  })()
  const paid = additions()
  expect(paid).toBe(2 * copies)

  const to = join(home.dir, 'data')
  expect(await home.run(['restore', join(home.dir, 'backup'), '--to', to])).toMatchObject({ code: 0 })
  {
    await using gateway = await startGatewayHere({ dir: to, devnet, privateKey })
    const s3 = gateway.connect(user)
    for (const { versionId, bytes } of versions) {
      const provenance = await waitForCopies(gateway, { bucket, versionId }, { copies, withinMs: 150_000 })
      expect(await findWrongCopies(devnet, provenance, sha256(bytes))).toEqual([])
    }
    expect(additions()).toBe(paid)
    expect(gateway.log()).toContain('pieces that the chain had without a record are committed and not paid again')
    // The earlier process made the calls that paid for them: this one has no call whose price it does not know.
    const cost = await gateway.call('GET', '/api/v1/cost')
    expect(cost).toMatchObject({ status: 200, json: { fees: { calls_without_price: 0 } } })
    // The data sets take further pieces.
    const bytes = randomBytes(20_000)
    const { VersionId: versionId = '' } = await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'after', Body: bytes }))
    await waitForCopies(gateway, { bucket, versionId }, { copies })
    expect(additions()).toBe(paid + copies)
    // An adopted piece is removed like any other.
    const during = versions[1]
    await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: during?.key, VersionId: during?.versionId }))
    await until('the removal of both copies', async () => {
      const removals = devnet.providers
        .flatMap((provider) => provider.transactions())
        .filter(({ kind, ok }) => kind === 'remove' && ok === true)
      return removals.length === copies || undefined
    })
  }
  expect(await findDuplicateAdds(devnet)).toEqual([])
  // The nonces of the additions that the database has not seen; nothing else is wrong.
  const problems = await checkDatabase(to, devnet)
  expect(problems).toEqual(
    Array.from({ length: copies }, () =>
      expect.stringMatching(/^transaction 0x\w+ added pieces to data set \d with a nonce that is not recorded$/),
    ),
  )
})
