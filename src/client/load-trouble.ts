import { partMissing } from './failures.ts'
import type { StartFailure } from './start-failure.ts'
import type * as trouble from './start-trouble/start-trouble.ts'

/** Loads what is needed only when a worker doesn't start; without it, the error says what shows by itself. */
export const loadTrouble = ({ thrown }: StartFailure): Promise<typeof trouble> =>
  import('./start-trouble/start-trouble.ts').catch((missing) => {
    throw partMissing(thrown ?? missing, navigator.onLine ? 'import' : 'offline')
  })
