// The worker of the soak: the shipped one, counted.
import './count.js'
import { startWorker } from '/dist/start-worker.js'

startWorker()
