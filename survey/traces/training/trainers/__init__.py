"""From the rollouts of a trainer to advantages where that trainer looks for them, in one call for each.

=================  =====================================  ===========================================================
module             reads                                  writes
=================  =====================================  ===========================================================
rllm               episodes                               ``step.advantage`` (``use_precomputed_advantage``)
verl               a ``DataProto``, or its columns        an array that a registered estimator returns unchanged
trl                what ``rollout_func`` returns          the numbers of a reward function
comlrl             the samples of ``rollout_buffers``     ``sample.returns`` (``advantage_mode: raw``)
agent_lightning    completed rollouts                     an array for ``token_level_scores``
=================  =====================================  ===========================================================

Every call takes the unit and the method of ``survey.traces.credit.assign`` and its options, and the same policy for
runs that cannot be credited. Nothing here imports a trainer: objects are read by the names of their fields, tensors
through numpy. The names are those of the versions on the page "Credit in your trainer".
"""
