import { defineMemoryPart } from '#plugins/storage'
import { pieceCalculator, remoteReader } from '../services.ts'

export const pieceThreadsMemory = defineMemoryPart({
  name: 'piece_threads',
  uses: { pieceCalculator },
  read: ({ pieceCalculator }) => pieceCalculator.memory(),
})

export const remoteReadsMemory = defineMemoryPart({
  name: 'remote_reads',
  uses: { remoteReader },
  read: ({ remoteReader }) => remoteReader.memory(),
})
