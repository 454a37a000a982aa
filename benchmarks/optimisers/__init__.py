"""Optimisers measured without a real model: invented tasks for the judge, and a scripted model that can be taught."""
