import { startWorker } from './start-worker.ts'

startWorker()
