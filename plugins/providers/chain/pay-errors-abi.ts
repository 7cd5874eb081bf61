/** Errors of FilecoinPay that calls of the storage service can raise. Used to decode reverts in provider answers. */
import { parseAbi } from 'viem'

export const payErrorsAbi = parseAbi([
  'error InsufficientCurrentLockup(address token, address from, uint256 currentLockup, uint256 lockupReduction)',
  'error InsufficientFundsForOneTimePayment(address token, address from, uint256 required, uint256 actual)',
  'error InsufficientFundsForSettlement(address token, address from, uint256 available, uint256 required)',
  'error InsufficientLockupForSettlement(address token, address from, uint256 available, uint256 required)',
  'error InsufficientUnlockedFunds(uint256 available, uint256 requested)',
  'error LockupExceedsFundsInvariant(address token, address account, uint256 lockupCurrent, uint256 fundsCurrent)',
  'error LockupFixedIncreaseNotAllowedDueToInsufficientFunds(address token, address from, uint256 actualLockupFixed, uint256 attemptedLockupFixed)',
  'error LockupNotSettledRateChangeNotAllowed(uint256 railId, address from, bool isSettled, uint256 currentRate, uint256 attemptedRate)',
  'error LockupPeriodChangeNotAllowedDueToInsufficientFunds(address token, address from, uint256 actualLockupPeriod, uint256 attemptedLockupPeriod)',
  'error LockupPeriodExceedsOperatorMaximum(address token, address operator, uint256 maxAllowedPeriod, uint256 requestedPeriod)',
  'error OneTimePaymentExceedsLockup(uint256 railId, uint256 available, uint256 required)',
  'error OnlyRailOperatorAllowed(address expected, address caller)',
  'error OperatorLockupAllowanceExceeded(uint256 allowed, uint256 attemptedUsage)',
  'error OperatorNotApproved(address from, address operator)',
  'error OperatorRateAllowanceExceeded(uint256 allowed, uint256 attemptedUsage)',
  'error RailAlreadyTerminated(uint256 railId)',
  'error RailInactiveOrSettled(uint256 railId)',
  'error RateChangeNotAllowedOnTerminatedRail(uint256 railId)',
])
