// Messages from the page to the worker, in addition to Offstage's own.
export const CUT_NETWORK = 'cut-network'
export const MEND_NETWORK = 'mend-network'
