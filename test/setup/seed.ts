import fc from 'fast-check'
import { SEED } from '../../scripts/lib/seed.mjs'

if (SEED !== undefined) fc.configureGlobal({ seed: SEED })
