import fc from 'fast-check'

// The same examples in every run, so that a failure is a change's doing. To look for new ones: FAST_CHECK_SEED=$RANDOM npm test
fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 20261121) })
