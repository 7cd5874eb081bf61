/** ServiceProviderRegistry and the endorsement set: reads that list providers. */
import { parseAbi } from 'viem'

export const registryAbi = parseAbi([
  'struct Info { address serviceProvider; address payee; string name; string description; bool isActive; }',
  'struct Product { uint8 productType; string[] capabilityKeys; bool isActive; }',
  'struct ProviderWithProduct { uint256 providerId; Info providerInfo; Product product; bytes[] productCapabilityValues; }',
  'struct Provider { uint256 providerId; Info info; }',
  'function getProviderCount() view returns (uint256)',
  'function getProvider(uint256 providerId) view returns (Provider)',
  'function getProviderWithProduct(uint256 providerId, uint8 productType) view returns (ProviderWithProduct)',
])

export const providerIdSetAbi = parseAbi(['function getProviderIds() view returns (uint256[])'])
