import fc from 'fast-check'
import { SEED } from '../../scripts/lib/seed.mjs'
import { someOf } from '../unit/more.ts'

fc.configureGlobal({ numRuns: someOf(300), ...(SEED !== undefined && { seed: SEED }) })
