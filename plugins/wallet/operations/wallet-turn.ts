/** One at a time signs and sends transactions of the wallet: two with the same nonce would replace each other. */
export interface WalletTurn {
  /** Waits until the others have ended. */
  run<T>(use: () => Promise<T>): Promise<T>
  /** Undefined, without a call, while another one runs. */
  tryRun<T>(use: () => Promise<T>): Promise<T | undefined>
}

export function createWalletTurn(): WalletTurn {
  let last: Promise<unknown> = Promise.resolve()
  let running = 0
  function run<T>(use: () => Promise<T>): Promise<T> {
    running += 1
    const turn = last.then(use).finally(() => {
      running -= 1
    })
    last = turn.catch(() => undefined)
    return turn
  }
  return { run, tryRun: async (use) => (running > 0 ? undefined : await run(use)) }
}
